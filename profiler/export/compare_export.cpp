#include <algorithm>

#include "engine/base/json.h"
#include "profiler/export/export.h"
#include "profiler/export/json_forms.h"
#include "profiler/export/summary.h"
#include "profiler/export/text.h"

namespace lanescope::profiler {

namespace {

/// Places of two lanes that belong together.
struct Pair {
    std::size_t before = 0, after = 0;
};

std::vector<Pair> pairLanes(const RunData& before, const RunData& after) {
    std::vector<Pair> pairs;
    std::vector<bool> usedBefore(before.lanes.size()), usedAfter(after.lanes.size());
    for (std::size_t a = 0; a < after.lanes.size(); ++a) {
        for (std::size_t b = 0; b < before.lanes.size(); ++b) {
            if (usedBefore[b] || before.lanes[b].name != after.lanes[a].name) continue;
            pairs.push_back({b, a});
            usedBefore[b] = usedAfter[a] = true;
            break;
        }
    }
    const std::size_t common = std::min(before.lanes.size(), after.lanes.size());
    for (std::size_t i = 0; i < common; ++i) {
        if (!usedBefore[i] && !usedAfter[i]) pairs.push_back({i, i});
    }
    std::sort(pairs.begin(), pairs.end(),
              [](const Pair& x, const Pair& y) { return x.after < y.after; });
    return pairs;
}

/// How far the answers of two lanes agree, prompt by prompt (first timed repetition of each).
struct Agreement {
    int prompts = 0;
    int same = 0;
    std::vector<std::pair<std::int32_t, std::int64_t>> differences;  ///< prompt, position
};

Agreement agreement(const RunData& before, std::int32_t laneBefore, const RunData& after,
                    std::int32_t laneAfter) {
    Agreement out;
    std::vector<std::int32_t> seen;
    for (const RequestData* a : timedRequests(after, laneAfter)) {
        const std::int32_t prompt = a->record.prompt;
        if (std::find(seen.begin(), seen.end(), prompt) != seen.end()) continue;
        seen.push_back(prompt);
        for (const RequestData* b : timedRequests(before, laneBefore)) {
            if (b->record.prompt != prompt) continue;
            ++out.prompts;
            std::int64_t at = firstDifference(*b, *a);
            if (at < 0 && a->tokens.size() != b->tokens.size()) {
                at = static_cast<std::int64_t>(std::min(a->tokens.size(), b->tokens.size()));
            }
            if (at < 0) {
                ++out.same;
            } else {
                out.differences.emplace_back(prompt, at);
            }
            break;
        }
    }
    return out;
}

/// Roofs are measured, and for the threads a run uses: they say nothing about which machine it is.
bool sameMachine(const RunData& before, const RunData& after) {
    Json a = documentOrText(before.header.machineJson);
    Json b = documentOrText(after.header.machineJson);
    for (Json* machine : {&a, &b}) {
        if (machine->is_object()) machine->erase("roofs");
    }
    return a == b;
}

}  // namespace

std::string compareMarkdown(const RunData& before, const RunData& after) {
    auto named = [](const RunData& run) {
        return text::markdown(run.header.name) + " (`" +
               text::markdown(run.header.id.substr(0, 8)) + "`, " +
               text::utcTime(run.header.startedUnixMs) + ")";
    };
    std::string out = "# " + named(before) + " → " + named(after) + "\n\n";
    if (!sameMachine(before, after)) {
        out += "The two runs were made on machines that differ: times are not comparable.\n\n";
    }
    const auto statsBefore = laneStats(before);
    const auto statsAfter = laneStats(after);
    const auto pairs = pairLanes(before, after);
    if (pairs.empty()) return out + "There are no lanes to compare.\n";
    for (const Pair& pair : pairs) {
        const auto& laneB = before.lanes[pair.before];
        const auto& laneA = after.lanes[pair.after];
        const auto deltas = compareLanes(statsBefore[pair.before], statsAfter[pair.after]);
        out += "## " + text::markdown(laneTitle(laneB)) + " → " + text::markdown(laneTitle(laneA)) +
               "\n\n";
        if (isSlower(deltas)) out += "Slower than before.\n\n";
        out += "| metric | unit | before | after | change | n |\n|---|---|---:|---:|---:|---:|\n";
        for (const Delta& d : deltas) {
            out += "| " + d.metric + " | " + (d.unit == "bytes" ? "" : d.unit) + " | " +
                   valueInWords(d, d.before, d.beforeSd, d.beforeN) + " | " +
                   valueInWords(d, d.after, d.afterSd, d.afterN) + " | " + changeInWords(d) +
                   " | " + std::to_string(d.beforeN) + ", " + std::to_string(d.afterN) + " |\n";
        }
        const Agreement answers = agreement(before, laneB.index, after, laneA.index);
        out += "\nAnswers: " + std::to_string(answers.same) + " of " +
               std::to_string(answers.prompts) + " are the same token for token";
        for (const auto& [prompt, at] : answers.differences) {
            out += "; prompt " + std::to_string(prompt + 1) + " differs from token " +
                   std::to_string(at);
        }
        out += ".\n\n";
    }
    for (const auto* side : {&before, &after}) {
        const RunData& other = side == &before ? after : before;
        for (std::size_t i = 0; i < side->lanes.size(); ++i) {
            const bool paired = std::any_of(pairs.begin(), pairs.end(), [&](const Pair& p) {
                return (side == &before ? p.before : p.after) == i;
            });
            if (paired) continue;
            out += "Lane " + text::markdown(laneTitle(side->lanes[i])) + " has no partner in " +
                   text::markdown(other.header.name) + ".\n";
        }
    }
    return out +
           "Mean ± sample standard deviation; \"within noise\" by Welch's t-test, two-sided 95 %; "
           "without such words there are too few repetitions to tell.\n";
}

std::string compareJson(const RunData& before, const RunData& after) {
    auto head = [](const RunData& run) -> Json {
        return {{"id", run.header.id},
                {"name", run.header.name},
                {"startedUnixMs", run.header.startedUnixMs},
                {"version", run.header.version}};
    };
    Json out;
    out["schema"] = 1;
    out["kind"] = "lanescope-comparison";
    out["before"] = head(before);
    out["after"] = head(after);
    out["sameMachine"] = sameMachine(before, after);
    const auto statsBefore = laneStats(before);
    const auto statsAfter = laneStats(after);
    Json lanes = Json::array();
    for (const Pair& pair : pairLanes(before, after)) {
        const auto deltas = compareLanes(statsBefore[pair.before], statsAfter[pair.after]);
        const auto& laneB = before.lanes[pair.before];
        const auto& laneA = after.lanes[pair.after];
        const Agreement answers = agreement(before, laneB.index, after, laneA.index);
        Json list = Json::array();
        for (const Delta& d : deltas) list.push_back(toJson(d));
        Json differences = Json::array();
        for (const auto& [prompt, at] : answers.differences) {
            differences.push_back(Json{{"prompt", prompt}, {"token", at}});
        }
        lanes.push_back({{"before", laneB.name},
                         {"after", laneA.name},
                         {"slower", isSlower(deltas)},
                         {"deltas", std::move(list)},
                         {"answers",
                          {{"compared", answers.prompts},
                           {"same", answers.same},
                           {"firstDifferences", std::move(differences)}}}});
    }
    out["lanes"] = std::move(lanes);
    return dumpJson(out, 1) + "\n";
}

}  // namespace lanescope::profiler
