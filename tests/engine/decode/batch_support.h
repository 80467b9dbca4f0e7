#pragma once
// The pass under the engine, with several sequences in one pool of pages: what they get together
// and what each gets alone, on any backend.

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <span>
#include <vector>

#include "engine/decode/forward.h"
#include "engine/decode/sequence.h"
#include "tests/engine/decode/engine_support.h"

namespace lanescope::test {

inline constexpr std::int64_t kBatchContext = 128;
inline constexpr std::int64_t kBatchChunk = 64;
inline constexpr std::array<std::size_t, 4> kBatch{0, 1, 2, 3};

inline EngineSettings batchSettings(bool exact) {
    EngineSettings settings;
    settings.threads = 2;
    settings.exact = exact;
    settings.kvKeys = settings.kvValues = exact ? kernels::KvFormat::F32 : kernels::KvFormat::F16;
    settings.contextTokens = kBatchContext;
    settings.prefillChunk = kBatchChunk;
    settings.maxSequences = std::ssize(kBatch);
    return settings;
}

/// Sequences of different lengths, chunks and single tokens mixed in one pass, then `steps` steps
/// of decoding all of them; the logits after the last, [which, vocab].
inline std::vector<float> batchLogits(const Model& model, Backend& backend, BlockPool& pool,
                                      std::span<const std::size_t> which, int steps = 0) {
    constexpr std::array<std::int64_t, 4> kBefore{0, 17, 33, 5};
    constexpr std::array<std::int64_t, 4> kNow{9, 1, 1, 3};
    const auto vocab = static_cast<std::size_t>(model.spec().vocab);
    std::vector<float> logits(which.size() * vocab);
    std::vector<kernels::PagedKv> views(which.size());
    const CancelToken cancel;
    const auto run = [&](const ForwardPass& pass) {
        const auto done = forward(model, backend, pool, pass, {}, cancel);
        EXPECT_TRUE(done.ok()) << done.error().toString();
    };
    std::deque<Sequence> sequences;
    std::vector<const BlockTable*> tables;
    std::vector<Segment> segments;
    std::vector<TokenId> ids;
    std::vector<std::int32_t> wanted;
    for (const std::size_t i : which) {
        Sequence& sequence = sequences.emplace_back(pool, trace::Cursor());
        EXPECT_TRUE(pool.grow(sequence.table, 0, kBefore[i] + kNow[i] + steps, {}).ok());
        std::vector<TokenId> mine;
        for (std::size_t t = 0; t < static_cast<std::size_t>(kBefore[i] + kNow[i]); ++t)
            mine.push_back(static_cast<TokenId>((31 * t * t + 7 * t + 13 * i + 3) % 200));
        if (kBefore[i] > 0) {
            const std::array first{Segment{kBefore[i], 0, kBefore[i]}};
            const std::array<const BlockTable*, 1> table{&sequence.table};
            ForwardPass pass;
            pass.tokens = std::span(mine).first(static_cast<std::size_t>(kBefore[i]));
            pass.segments = first;
            pass.tables = table;
            pass.views = std::span(views).first(1);
            run(pass);
        }
        ids.insert(ids.end(), mine.begin() + kBefore[i], mine.end());
        segments.push_back({kNow[i], static_cast<std::int32_t>(kBefore[i]), 0});
        tables.push_back(&sequence.table);
        wanted.push_back(static_cast<std::int32_t>(ids.size()) - 1);
    }
    ForwardPass pass;
    pass.tokens = ids;
    pass.segments = segments;
    pass.tables = tables;
    pass.views = views;
    pass.wanted = wanted;
    pass.logits = logits.data();
    run(pass);
    ids.resize(which.size());
    for (std::size_t i = 0; i < which.size(); ++i) wanted[i] = static_cast<std::int32_t>(i);
    for (int step = 0; step < steps; ++step) {
        for (std::size_t i = 0; i < which.size(); ++i) {
            ids[i] = static_cast<TokenId>((17 * step + 29 * static_cast<int>(which[i])) % 200);
            segments[i] = {
                1, static_cast<std::int32_t>(segments[i].firstPosition + segments[i].nTokens), 0};
        }
        pass.tokens = ids;
        run(pass);
    }
    return logits;
}

}  // namespace lanescope::test
