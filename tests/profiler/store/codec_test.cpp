#include "profiler/store/codec.h"

#include <gtest/gtest.h>

#include "profiler/store/bytes.h"
#include "tests/profiler/make_run.h"

namespace lanescope::profiler {

TEST(Bytes, KeepExtremeNumbers) {
    ByteWriter w;
    for (const std::int64_t v : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, INT64_MAX}) w.i64(v);
    w.u64(UINT64_MAX);
    ByteReader r(w.bytes());
    EXPECT_EQ(r.i64(), INT64_MIN);
    EXPECT_EQ(r.i64(), -1);
    EXPECT_EQ(r.i64(), 0);
    EXPECT_EQ(r.i64(), INT64_MAX);
    EXPECT_EQ(r.u64(), UINT64_MAX);
    EXPECT_TRUE(r.ok() && r.atEnd());
    r.u64();
    EXPECT_FALSE(r.ok());
}

TEST(Codec, RefusesEveryCutAndEveryFlippedBitOfABlob) {
    const RunData run = test::makeRun(1, 3);
    const std::string blob = codec::encodeTokens(run.requests[0].tokens, 0);
    for (std::size_t n = 0; n < blob.size(); ++n) {
        TokenList tokens;
        EXPECT_FALSE(codec::decodeTokens(blob.substr(0, n), tokens)) << n;
        std::string flipped = blob;
        flipped[n] = static_cast<char>(flipped[n] ^ (1 << (n % 8)));
        EXPECT_FALSE(codec::decodeTokens(flipped, tokens)) << n;
    }
}

TEST(Codec, ChecksEnumsAndRanges) {
    RunData run = test::makeRun(1, 1);
    run.spans.edit(0).op = static_cast<trace::Op>(trace::kOpCount);
    SpanList spans;
    EXPECT_FALSE(codec::decodeSpans(codec::encodeSpans(run.spans, 0), spans));
    run.kvEvents.edit(0).action = static_cast<trace::KvAction>(9);
    KvEventList events;
    EXPECT_FALSE(codec::decodeKvEvents(codec::encodeKvEvents(run.kvEvents, 0), events));
    run.requests.edit(0).record.lane = -3;
    EXPECT_FALSE(codec::decodeRequest(codec::encodeRequest(run.requests[0])));
    run.status = static_cast<trace::RunStatus>(77);
    EXPECT_FALSE(codec::decodeHead(codec::encodeHead(run)));
    run.status = trace::RunStatus::Finished;
    run.lanes[1].index = 0;
    const auto twice = codec::decodeHead(codec::encodeHead(run));
    ASSERT_FALSE(twice);
    EXPECT_NE(twice.error().message.find("lane 0 is there twice"), std::string::npos);
}

TEST(Codec, ASpanTakesFewBytes) {
    const RunData run = test::makeRun(4, 100);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < run.spans.chunkCount(); ++i) {
        bytes += codec::encodeSpans(run.spans, i).size();
    }
    EXPECT_LT(bytes, run.spans.size() * sizeof(trace::Span) / 2);
}

}  // namespace lanescope::profiler
