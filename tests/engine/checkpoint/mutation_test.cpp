// Good little files cut at every length and with thousands of random changes: whatever the bytes,
// reading ends in a Result, quickly, and without asking for memory on the file's word.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>

#include "engine/checkpoint/gguf_reader.h"
#include "engine/checkpoint/safetensors.h"
#include "tests/support/checkpoint_writer.h"

namespace {

// All memory the process asks for goes through here; sizes are kept in front of each block.
std::atomic<std::size_t> liveBytes{0};
std::atomic<std::size_t> peakBytes{0};
constexpr std::size_t kPrefix = alignof(std::max_align_t);

}  // namespace

void* operator new(std::size_t size) {
    auto* block = static_cast<char*>(std::malloc(size + kPrefix));
    if (block == nullptr) throw std::bad_alloc();
    *reinterpret_cast<std::size_t*>(block) = size;
    const std::size_t live = liveBytes += size;
    if (live > peakBytes) peakBytes = live;
    return block + kPrefix;
}

void operator delete(void* pointer) noexcept {
    if (pointer == nullptr) return;
    char* block = static_cast<char*>(pointer) - kPrefix;
    liveBytes -= *reinterpret_cast<std::size_t*>(block);
    std::free(block);
}

void operator delete(void* pointer, std::size_t) noexcept {
    operator delete(pointer);
}

namespace lanescope {
namespace {

using Bytes = std::span<const std::byte>;
using Parser = bool (*)(Bytes);

bool readsGguf(Bytes bytes) {
    const auto file = parseGguf(bytes, "x.gguf");
    if (!file) return false;
    // What a reader hands out must lie in the file.
    for (const auto& tensor : file->tensors) {
        EXPECT_GE(tensor.data, bytes.data());
        EXPECT_LE(tensor.data + tensor.sizeBytes, bytes.data() + bytes.size());
    }
    return true;
}

bool readsSafetensors(Bytes bytes) {
    const auto file = parseSafetensors(bytes, "x.safetensors");
    if (!file) return false;
    for (const auto& tensor : file->tensors) {
        EXPECT_GE(tensor.data, bytes.data());
        EXPECT_LE(tensor.data + tensor.sizeBytes, bytes.data() + bytes.size());
    }
    return true;
}

std::string goodGguf() {
    test::GgufWriter writer;
    writer.text("general.architecture", "llama").u32("llama.block_count", 2).f32("eps", 1e-5F);
    writer.u32("general.alignment", 32);
    writer.texts("tokenizer.ggml.tokens", {"<s>", "a", "bc", "def"});
    test::ByteWriter nested;
    nested.put(std::uint32_t{9}).put(std::uint64_t{1}).put(std::uint32_t{5});
    nested.put(std::uint64_t{2}).put(std::int32_t{-1}).put(std::int32_t{7});
    writer.key("nested", 9, nested.bytes).key("flag", 7, std::string(1, '\1'));
    writer.tensor("token_embd.weight", {32, 4}, 8, std::string(136, 'q'));
    writer.tensor("norm", {8}, 0, std::string(32, 'n'));
    return writer.bytes();
}

std::string goodSafetensors() {
    return test::safetensorsBytes(
        R"({"__metadata__":{"format":"pt"},)"
        R"("a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
        R"("b.weight":{"dtype":"BF16","shape":[4],"data_offsets":[24,32]},)"
        R"("mask":{"dtype":"BOOL","shape":[0,4],"data_offsets":[32,32]}})",
        std::string(32, 'd'));
}

/// Runs the parser on an exact copy (so that a sanitizer sees a read past the end) and measures.
bool checked(Parser parser, const std::string& content) {
    const auto copy = std::make_unique<std::byte[]>(content.size());
    std::copy_n(reinterpret_cast<const std::byte*>(content.data()), content.size(), copy.get());
    const std::size_t before = liveBytes;
    peakBytes = before;
    const auto start = std::chrono::steady_clock::now();
    const bool read = parser(Bytes(copy.get(), content.size()));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(seconds.count(), 1.0);
    EXPECT_LT(peakBytes - before, std::size_t{64} << 20);
    return read;
}

class Mutation : public testing::TestWithParam<std::pair<Parser, std::string>> {};

TEST_P(Mutation, ATruncatedFileIsRefusedAtEveryLength) {
    const auto& [parser, good] = GetParam();
    ASSERT_TRUE(checked(parser, good));
    for (std::size_t n = 0; n < good.size(); ++n) {
        EXPECT_FALSE(checked(parser, good.substr(0, n))) << "cut to " << n << " bytes";
    }
}

TEST_P(Mutation, RandomChangesEndInAResult) {
    const auto& [parser, good] = GetParam();
    std::mt19937 random(20240607);
    int nRead = 0;
    for (int i = 0; i < 4000; ++i) {
        std::string bad = good;
        const int nFlips = 1 + static_cast<int>(random() % 4);
        for (int k = 0; k < nFlips; ++k) {
            char& byte = bad[random() % bad.size()];
            // Half of the changes are to values that break counts: all ones, zero, the sign bit.
            static constexpr char kNasty[] = {'\xff', '\0', '\x7f', '\x80'};
            byte = random() % 2 == 0 ? kNasty[random() % 4] : static_cast<char>(random());
        }
        nRead += checked(parser, bad) ? 1 : 0;
    }
    EXPECT_GT(nRead, 0) << "changes of tensor data alone do no harm";
    EXPECT_LT(nRead, 4000);
}

TEST_P(Mutation, EightByteFieldsOfEveryHugeValueAreRefusedOrHarmless) {
    const auto& [parser, good] = GetParam();
    for (std::size_t at = 0; at + 8 <= good.size(); ++at) {
        for (const std::uint64_t value :
             {UINT64_MAX, std::uint64_t{1} << 63, std::uint64_t{1} << 61, std::uint64_t{1} << 40,
              std::uint64_t{1} << 32, std::uint64_t{0}, UINT64_MAX - 7}) {
            std::string bad = good;
            std::memcpy(bad.data() + at, &value, sizeof value);
            (void)checked(parser, bad);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Readers, Mutation,
    testing::Values(std::pair<Parser, std::string>(readsGguf, goodGguf()),
                    std::pair<Parser, std::string>(readsSafetensors, goodSafetensors())),
    [](const auto& instance) { return instance.index == 0 ? "Gguf" : "Safetensors"; });

}  // namespace
}  // namespace lanescope
