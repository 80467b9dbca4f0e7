// Tracks, their level of detail and the bars made of it, on spans made by hand and on ten million.

#include "app/timeline/tracks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>

#include "app/timeline/item_links.h"
#include "app/timeline/track_bars.h"
#include "engine/base/clock.h"
#include "tests/app/timeline/many_spans.h"

namespace lanescope::app {
namespace {

trace::Span span(std::int64_t start, std::int64_t end, trace::Op op, std::int16_t lane = 0) {
    trace::Span s;
    s.tStartNs = start;
    s.tEndNs = end;
    s.op = op;
    s.lane = lane;
    return s;
}

profiler::RunSnapshot runOf(std::vector<trace::Span> spans) {
    auto run = std::make_shared<profiler::RunData>();
    run->header.id = "hand";
    std::stable_sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) {
        return a.tStartNs != b.tStartNs ? a.tStartNs < b.tStartNs : a.tEndNs > b.tEndNs;
    });
    for (const auto& s : spans) run->spans.push_back(s);
    return run;
}

/// What the pyramid says must be what adding one by one says.
void expectSumsRight(const Timeline& timeline, unsigned seed) {
    std::mt19937_64 random(seed);
    for (const Track& track : timeline.tracks) {
        const Items items = timeline.items(track);
        for (const IntervalIndex& row : track.rows) {
            for (int trial = 0; trial < 50; ++trial) {
                const auto length = static_cast<std::uint64_t>(timeline.full.length());
                const auto from =
                    timeline.full.startNs + static_cast<std::int64_t>(random() % length);
                const auto to = from + static_cast<std::int64_t>(random() % length);
                std::size_t first = 0;
                while (first < row.size() && items.end(row.item(first)) <= from) ++first;
                ASSERT_EQ(row.firstEndingAfter(items, from), first);
                IntervalIndex::Sum wanted, sum;
                std::size_t i = first;
                for (; i < row.size() && items.start(row.item(i)) < to; ++i) {
                    const std::int64_t ns = items.end(row.item(i)) - items.start(row.item(i));
                    wanted.busyNs += ns;
                    wanted.longestNs = std::max(wanted.longestNs, ns);
                    wanted.maxEndNs = i == first
                                          ? items.end(row.item(i))
                                          : std::max(wanted.maxEndNs, items.end(row.item(i)));
                }
                ASSERT_EQ(row.advance(items, first, to, &sum), i);
                ASSERT_EQ(sum.count, i - first);
                ASSERT_EQ(sum.busyNs, wanted.busyNs);
                ASSERT_EQ(sum.longestNs, wanted.longestNs);
                ASSERT_EQ(sum.maxEndNs, wanted.maxEndNs);
            }
        }
    }
}

TEST(Tracks, SplitLanesAndPhases) {
    const auto run = runOf({span(10, 20, trace::Op::Qkv, 1), span(0, 5, trace::Op::Norm, 0),
                            span(0, 50, trace::Op::Prefill, 0), span(5, 9, trace::Op::Qkv, 0),
                            span(7, 3, trace::Op::Qkv, 0)});
    const auto timeline = buildTimeline(run, nullptr);
    ASSERT_EQ(timeline->tracks.size(), 3U);
    EXPECT_EQ(timeline->tracks[0].kind, TrackKind::Steps);
    EXPECT_EQ(timeline->tracks[1].kind, TrackKind::Ops);
    EXPECT_EQ(timeline->tracks[1].size(), 2U) << "the one that ends before it starts is left out";
    ASSERT_EQ(timeline->groups.size(), 2U);
    EXPECT_EQ(timeline->groups[1].lane, 1);
    EXPECT_EQ(timeline->full, (TimeRange{0, 50}));
    const auto& ops = timeline->tracks[1].rows[0];
    const Items items = timeline->items(timeline->tracks[1]);
    EXPECT_EQ(itemAt(ops, items, 6, 0), 1U);
    EXPECT_EQ(itemAt(ops, items, 30, 5), ops.size());
    EXPECT_EQ(itemAt(ops, items, 12, 5), 1U);
}

TEST(Tracks, WhatOverlapsLiesInRowsWithTheEnclosingAbove) {
    const auto run =
        runOf({span(0, 100, trace::Op::DecodeStep), span(50, 150, trace::Op::DecodeStep),
               span(100, 120, trace::Op::DecodeStep)});
    const auto timeline = buildTimeline(run, nullptr);
    ASSERT_EQ(timeline->tracks.size(), 1U);
    ASSERT_EQ(timeline->tracks[0].rows.size(), 2U);
    EXPECT_EQ(timeline->tracks[0].rows[0].size(), 2U);
}

TEST(Tracks, NothingIsAnEmptyTimeline) {
    const auto timeline = buildTimeline(std::make_shared<profiler::RunData>(), nullptr);
    ASSERT_NE(timeline, nullptr);
    EXPECT_TRUE(timeline->groups.empty());
    EXPECT_EQ(timeline->full, (TimeRange{0, 1}));
}

TEST(Tracks, SumsAreRightAtEveryLevel) {
    for (const std::size_t n : {1U, 63U, 64U, 65U, 1024U, 1025U, 20'000U}) {
        const auto timeline = buildTimeline(test::manySpans(n, 2), nullptr);
        ASSERT_EQ(timeline->itemCount(), timeline->run->spans.size());
        expectSumsRight(*timeline, static_cast<unsigned>(n));
    }
}

void expectSameTracks(const Timeline& grown, const Timeline& anew) {
    ASSERT_EQ(grown.tracks.size(), anew.tracks.size());
    for (std::size_t t = 0; t < anew.tracks.size(); ++t) {
        ASSERT_EQ(grown.tracks[t].rows.size(), anew.tracks[t].rows.size());
        for (std::size_t r = 0; r < anew.tracks[t].rows.size(); ++r) {
            const auto &a = grown.tracks[t].rows[r], &b = anew.tracks[t].rows[r];
            ASSERT_EQ(a.size(), b.size());
            for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a.item(i), b.item(i));
        }
    }
}

TEST(Tracks, AGrowingRunTakesOverWhatIsTheSame) {
    // A step is recorded when it ends, so that spans come in before ones that are there already.
    auto growing = std::make_shared<profiler::RunData>(*test::manySpans(5'000, 1));
    const auto first = buildTimeline(growing, nullptr);
    auto later = std::make_shared<profiler::RunData>(*growing);
    std::vector<trace::Span> tail(later->spans.end() - 700, later->spans.end());
    later->spans.truncate(later->spans.size() - 700);
    trace::Span step = tail.front();
    step.op = trace::Op::DecodeStep;
    step.tEndNs = tail.back().tEndNs;
    later->spans.push_back(step);
    for (const auto& s : tail) later->spans.push_back(s);
    for (int i = 0; i < 3'000; ++i) {
        trace::Span s = tail.back();
        s.tStartNs += 1'000 * (i + 1);
        s.tEndNs = s.tStartNs + 900;
        later->spans.push_back(s);
    }
    EXPECT_LT(itemsToAdd(*later, first.get()), 5'000U);
    const auto grown = buildTimeline(later, first.get());
    const auto anew = buildTimeline(later, nullptr);
    expectSameTracks(*grown, *anew);
    EXPECT_EQ(grown->full, anew->full);
    expectSumsRight(*grown, 3);
    expectSumsRight(*first, 3);  // the older one is as it was
}

TEST(Tracks, WhatADeviceHandsOverLateTakesItsPlace) {
    const auto activity = [](std::int64_t start, int stream) {
        profiler::DeviceActivity a;
        a.tStartNs = start;
        a.tEndNs = start + 700;
        a.device = 0;
        a.stream = stream;
        a.lane = 0;
        return a;
    };
    auto growing = std::make_shared<profiler::RunData>();
    growing->header.id = "device";
    for (int i = 0; i < 30'000; ++i)
        growing->deviceActivities.push_back(activity(i * 1'000, i % 2));
    const auto first = buildTimeline(growing, nullptr);
    auto later = std::make_shared<profiler::RunData>(*growing);
    later->deviceActivities.truncate(29'500);
    later->deviceActivities.push_back(activity(29'499'500, 0));
    for (int i = 29'500; i < 40'000; ++i)
        later->deviceActivities.push_back(activity(i * 1'000, i % 3));
    EXPECT_LT(itemsToAdd(*later, first.get()), 15'000U);
    const auto grown = buildTimeline(later, first.get());
    const auto anew = buildTimeline(later, nullptr);
    EXPECT_EQ(grown->itemCount(), later->deviceActivities.size());
    expectSameTracks(*grown, *anew);
    expectSumsRight(*grown, 5);
}

TEST(Tracks, BuildingStopsWhenAsked) {
    BuildProgress progress;
    progress.cancel = true;
    EXPECT_EQ(buildTimeline(test::manySpans(200'000, 1), nullptr, &progress), nullptr);
}

TEST(Bars, MergeWhatIsThinnerThanAPixelAndLoseNothing) {
    std::vector<trace::Span> spans;
    for (int i = 0; i < 100'000; ++i) spans.push_back(span(i * 10, i * 10 + 9, trace::Op::Norm));
    const auto timeline = buildTimeline(runOf(spans), nullptr);
    const IntervalIndex& row = timeline->tracks[0].rows[0];
    const Items items = timeline->items(timeline->tracks[0]);
    const auto bars = visibleBars(row, items, timeline->full, 1000.0);
    EXPECT_LE(bars.size(), 2001U);
    std::size_t covered = 0;
    for (const auto& bar : bars) {
        covered += bar.count;
        EXPECT_NEAR(bar.fill, 0.9F, 0.1F);
    }
    EXPECT_EQ(covered, 100'000U);
    // With more in a pixel some stay together: none is lost.
    const auto merged = visibleBars(row, items, timeline->full, 100.0);
    EXPECT_LE(merged.size(), 201U);
    covered = 0;
    for (const auto& bar : merged) {
        covered += bar.count;
        EXPECT_NEAR(bar.fill, 0.9F, 0.1F);
    }
    EXPECT_EQ(covered, 100'000U);
    const auto close = visibleBars(row, items, {500, 1000}, 1000.0);
    EXPECT_EQ(close.size(), 50U);
    for (const auto& bar : close) EXPECT_EQ(bar.count, 1U);
    // A part of the view gives the same bars as the whole.
    const auto part = visibleBars(row, items, timeline->full, 1000.0, 400.0, 410.0);
    ASSERT_GE(part.size(), 10U);
    ASSERT_LE(part.size(), 14U);
    for (const auto& bar : part) {
        const auto same = std::find_if(bars.begin(), bars.end(),
                                       [&](const Bar& b) { return std::abs(b.x - bar.x) < 1e-9; });
        if (bar.x < 400.0) continue;
        ASSERT_NE(same, bars.end());
        EXPECT_EQ(same->count, bar.count);
    }
}

TEST(Links, ATokenHasItsStepAndAStepItsOps) {
    trace::Span step = span(0, 100, trace::Op::DecodeStep);
    step.request = 3;
    step.step = 7;
    trace::Span op = span(10, 60, trace::Op::Qkv);
    op.request = 3;
    op.step = 7;
    const auto timeline = buildTimeline(runOf({step, op}), nullptr);
    const ItemRef found = stepItem(*timeline, 0, 3, 7);
    ASSERT_TRUE(found.valid());
    EXPECT_EQ(found.index, 0);
    EXPECT_FALSE(stepItem(*timeline, 0, 3, 8).valid());
    const ItemRef inside = firstInside(*timeline, found);
    EXPECT_EQ(inside, (ItemRef{ItemKind::Span, 1}));
    EXPECT_EQ(enclosing(*timeline, inside), found);
    EXPECT_FALSE(firstInside(*timeline, inside).valid());
    EXPECT_FALSE(firstInside(*timeline, ItemRef{}).valid());
    const auto state = selectionOf(*timeline, inside);
    EXPECT_EQ(state.token, 7);
    EXPECT_EQ(state.tStartNs, 10);
}

TEST(TenMillionSpans, AreIndexedOnceAndThenCostPixels) {
    const auto run = test::manySpans(10'000'000, 2);
    const std::int64_t before = nowNs();
    const auto timeline = buildTimeline(run, nullptr);
    const double buildMs = static_cast<double>(nowNs() - before) / 1e6;
    ASSERT_EQ(timeline->itemCount(), run->spans.size());
    const double bytesPerItem =
        static_cast<double>(timeline->memoryBytes()) / static_cast<double>(run->spans.size());
    std::printf("index of %zu spans: %.0f ms, %.1f bytes a span\n", run->spans.size(), buildMs,
                bytesPerItem);
    EXPECT_LT(bytesPerItem, 8.0);
    for (const double share : {1.0, 0.3, 0.1, 0.01, 1e-3, 1e-4, 1e-5}) {
        const auto length =
            static_cast<std::int64_t>(static_cast<double>(timeline->full.length()) * share);
        const std::int64_t start = timeline->full.startNs + (timeline->full.length() - length) / 3;
        const std::clock_t started = std::clock();  // other processes do not count
        std::size_t n = 0;
        for (const Track& track : timeline->tracks)
            for (const IntervalIndex& row : track.rows)
                n += visibleBars(row, timeline->items(track), {start, start + length}, 1440.0)
                         .size();
        const double ms = 1000.0 * static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC;
        std::printf("bars at %8.4f %% of the run: %zu in %.2f ms\n", share * 100.0, n, ms);
        EXPECT_LE(n, timeline->tracks.size() * 2 * 1441);
        EXPECT_LT(ms, 16.0);
    }
}

}  // namespace
}  // namespace lanescope::app
