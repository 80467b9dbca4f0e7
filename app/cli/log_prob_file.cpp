#include "app/cli/log_prob_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

namespace lanescope::cli {

namespace {

static_assert(std::endian::native == std::endian::little, "the file is little-endian");

constexpr std::size_t kRowHead = 4;  ///< u16 cells that hold the two floats
/// Nats below the best token at which codes end: 16 bits over this range are steps of 0.00024. The
/// reader leaves out what is less probable than e^-16.
constexpr double kRange = 16.0;
constexpr double kCodes = 65535.0;

std::size_t rowCells(std::int64_t vocab) {
    return kRowHead + static_cast<std::size_t>(vocab + vocab % 2);
}

}  // namespace

LogProbFile::LogProbFile(FileWriter file, std::int64_t vocab)
    : m_file(std::move(file)), m_row(rowCells(vocab)) {}

Result<LogProbFile> LogProbFile::create(const std::string& path, std::int64_t window,
                                        std::int64_t vocab, std::span<const TokenId> tokens) {
    constexpr std::string_view kMagic = "_logits_";
    const auto nWindows = std::ssize(tokens) / window;
    const std::array<std::int32_t, 3> header{static_cast<std::int32_t>(window),
                                             static_cast<std::int32_t>(vocab),
                                             static_cast<std::int32_t>(nWindows)};
    const auto nRows = static_cast<std::uint64_t>(nWindows * (window - 1 - window / 2));
    const std::uint64_t sizeBytes = kMagic.size() + sizeof header + tokens.size_bytes() +
                                    nRows * rowCells(vocab) * sizeof(std::uint16_t);
    auto writer = FileWriter::create(path, sizeBytes);
    if (!writer) return writer.error();
    LogProbFile file(*std::move(writer), vocab);
    const std::initializer_list<std::span<const std::byte>> parts{
        std::as_bytes(std::span(kMagic)), std::as_bytes(std::span(header)), std::as_bytes(tokens)};
    for (const auto part : parts)
        if (auto ok = file.m_file.write(part); !ok) return ok.error();
    return file;
}

Result<void> LogProbFile::add(const Distribution& predicted) {
    const double top = predicted.logProbability(predicted.best());
    double lowest = top;
    for (std::size_t i = 0; i < predicted.size(); ++i)
        lowest = std::min(lowest, predicted.logProbability(i));
    lowest = std::max(lowest, top - kRange);
    const double scale = (top - lowest) / kCodes;
    const std::array<float, 2> head{static_cast<float>(scale), static_cast<float>(lowest)};
    static_assert(sizeof head == kRowHead * sizeof(std::uint16_t));
    std::memcpy(m_row.data(), head.data(), sizeof head);
    for (std::size_t i = 0; i < predicted.size(); ++i) {
        const double steps = scale > 0 ? (predicted.logProbability(i) - lowest) / scale : 0.0;
        m_row[kRowHead + i] =
            static_cast<std::uint16_t>(std::clamp(std::nearbyint(steps), 0.0, kCodes));
    }
    return m_file.write(std::as_bytes(std::span<const std::uint16_t>(m_row)));
}

}  // namespace lanescope::cli
