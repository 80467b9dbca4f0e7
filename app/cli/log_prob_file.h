#pragma once
// A reference's predictions of a text, as the file that llama.cpp's llama-perplexity reads with
// --kl-divergence-base: so that another engine's divergence can be measured against the same
// reference as ours. Layout (little-endian): "_logits_", u32 window, i32 vocab, i32 nWindows, the
// text's tokens i32 [nWindows, window]; then a row for every position scored, in order: f32 scale,
// f32 lowest, u16 code [vocab rounded up to even]; log probability = scale * code + lowest.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/base/file_writer.h"
#include "engine/decode/quality.h"

namespace lanescope::cli {

class LogProbFile {
  public:
    /// tokens: [nWindows * window], as the tokenizer gave them. Positions window / 2 up to,
    /// without, the last of each window are scored. Errors (Io): as FileWriter::create.
    static Result<LogProbFile> create(const std::string& path, std::int64_t window,
                                      std::int64_t vocab, std::span<const TokenId> tokens);
    /// The next position's prediction. Precondition: predicted.size() is the vocab of create().
    Result<void> add(const Distribution& predicted);
    Result<void> finish() { return m_file.finish(); }

  private:
    LogProbFile(FileWriter file, std::int64_t vocab);

    FileWriter m_file;
    std::vector<std::uint16_t> m_row;  ///< [4 + vocab rounded up]; the first 4 hold two floats
};

}  // namespace lanescope::cli
