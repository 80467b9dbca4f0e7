// Crafted GGUF files, one fault each: what is refused, and that the message names it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/checkpoint/gguf_metadata.h"
#include "engine/checkpoint/gguf_reader.h"
#include "tests/support/checkpoint_writer.h"

namespace lanescope {
namespace {

using test::ByteWriter;
using test::GgufWriter;
using testing::HasSubstr;

constexpr std::uint32_t kF32 = 0;
constexpr std::uint32_t kArray = 9;

Result<GgufFile> parse(const std::string& bytes) {
    return parseGguf(std::as_bytes(std::span(bytes.data(), bytes.size())), "x.gguf");
}

/// The message of a file that must be refused.
std::string refusal(const std::string& bytes) {
    const auto parsed = parse(bytes);
    return parsed ? "was not refused" : parsed.error().toString();
}

std::string floats(std::size_t n) {
    return std::string(n * 4, '\1');
}

TEST(GgufChecks, AlignmentFromTheFileIsUsed) {
    for (const std::uint64_t alignment : {1, 8, 64, 4096}) {
        GgufWriter writer;
        writer.alignment = alignment;
        writer.u32("general.alignment", static_cast<std::uint32_t>(alignment));
        writer.tensor("a", {3}, kF32, "abcdefghijkl").tensor("b", {2}, kF32, "ABCDEFGH");
        const std::string bytes = writer.bytes();
        const auto file = parse(bytes);
        ASSERT_TRUE(file) << file.error().toString();
        EXPECT_EQ(file->alignment, alignment);
        EXPECT_EQ(std::memcmp(file->tensors[0].data, "abcdefghijkl", 12), 0) << alignment;
        EXPECT_EQ(std::memcmp(file->tensors[1].data, "ABCDEFGH", 8), 0) << alignment;
    }
}

TEST(GgufChecks, SillyAlignmentsAreRefused) {
    for (const std::uint32_t alignment : {0U, 3U, 48U, 0x80000000U, 0xffffffffU}) {
        EXPECT_THAT(refusal(GgufWriter().u32("general.alignment", alignment).bytes()),
                    HasSubstr("'general.alignment' is " + std::to_string(alignment)));
    }
    EXPECT_THAT(refusal(GgufWriter().text("general.alignment", "32").bytes()),
                HasSubstr("not a whole number"));
    EXPECT_THAT(refusal(GgufWriter().tensorAt("t", {1}, kF32, 4).bytes() + floats(64)),
                HasSubstr("offset 4 is not a multiple of the alignment 32"));
}

TEST(GgufChecks, NamesThatComeTwiceAreRefused) {
    EXPECT_THAT(refusal(GgufWriter().u32("a.b", 1).u32("a.b", 1).bytes()),
                HasSubstr("metadata key 'a.b' is there twice"));
    EXPECT_THAT(refusal(GgufWriter()
                            .tensor("t", {1}, kF32, floats(1))
                            .tensor("t", {1}, kF32, floats(1))
                            .bytes()),
                HasSubstr("tensor 't' is there twice"));
    EXPECT_THAT(refusal(GgufWriter().tensor("", {1}, kF32, floats(1)).bytes()),
                HasSubstr("empty name"));
}

TEST(GgufChecks, TensorsThatShareBytesAreRefused) {
    GgufWriter writer;
    writer.tensor("first", {16}, kF32, floats(16)).tensorAt("second", {4}, kF32, 32);
    EXPECT_THAT(refusal(writer.bytes()), HasSubstr("'first' and 'second' overlap"));
}

TEST(GgufChecks, SizesAndOffsetsThatWrapAreRefused) {
    const std::int64_t big = std::int64_t{1} << 32;
    EXPECT_THAT(refusal(GgufWriter().tensorAt("t", {big, big}, kF32, 0).bytes()),
                HasSubstr("overflows"));
    EXPECT_THAT(refusal(GgufWriter().tensorAt("t", {big, big / 4}, kF32, 0).bytes()),
                HasSubstr("overflows"));
    EXPECT_THAT(refusal(GgufWriter().tensorAt("t", {1}, kF32, UINT64_MAX - 31).bytes()),
                HasSubstr("beyond any file"));
    EXPECT_THAT(refusal(GgufWriter().tensorAt("t", {1}, kF32, std::uint64_t{1} << 62).bytes()),
                HasSubstr("bytes are missing"));
    EXPECT_THAT(refusal(GgufWriter().tensorAt("t", {INT64_MIN}, kF32, 0).bytes()),
                HasSubstr("dimension 0 is -9223372036854775808"));
}

TEST(GgufChecks, ACutFileSaysHowManyBytesAreMissing) {
    std::string bytes = GgufWriter().tensor("t", {1001}, kF32, floats(1001)).bytes();
    bytes.resize(bytes.size() - 2000);
    EXPECT_THAT(refusal(bytes), HasSubstr("1972 bytes are missing (1.9 KiB)"))
        << "the padding behind the last tensor is not needed";
}

TEST(GgufChecks, ArraysOfArraysAreReadToASaneDepth) {
    ByteWriter deep;  // a hundred levels of arrays with one array each
    for (int i = 0; i < 100; ++i) deep.put(kArray).put(std::uint64_t{1});
    deep.put(std::uint32_t{0}).put(std::uint64_t{0});
    EXPECT_THAT(refusal(GgufWriter().key("k", kArray, deep.bytes).bytes()),
                HasSubstr("nested more than 4 deep"));
    ByteWriter two;
    two.put(kArray).put(std::uint64_t{1}).put(std::uint32_t{0}).put(std::uint64_t{0});
    EXPECT_TRUE(parse(GgufWriter().key("k", kArray, two.bytes).bytes()));
}

TEST(GgufChecks, EmptyArraysKeepTheirKind) {
    const auto file = parse(GgufWriter().texts("none", {}).bytes());
    ASSERT_TRUE(file) << file.error().toString();
    ASSERT_NE(file->metadata.strings("none"), nullptr);
    EXPECT_TRUE(file->metadata.strings("none")->empty());
}

TEST(GgufChecks, WrongValuesNameTheirKey) {
    EXPECT_THAT(refusal(GgufWriter().key("flag", 7, "\2").bytes()),
                HasSubstr("'flag' is a boolean with the invalid value 2"));
    EXPECT_THAT(refusal(GgufWriter().key("kind", 13, "abcdefgh").bytes()),
                HasSubstr("'kind' has the invalid value type 13"));
    ByteWriter array;
    array.put(std::uint32_t{77}).put(std::uint64_t{1});
    EXPECT_THAT(refusal(GgufWriter().key("list", kArray, array.bytes + "abcdefgh").bytes()),
                HasSubstr("'list' has the invalid value type 77"));
    ByteWriter wide;
    wide.put(std::uint32_t{10}).put(std::uint64_t{1}).put(UINT64_MAX);
    EXPECT_THAT(refusal(GgufWriter().key("wide", kArray, wide.bytes).bytes()),
                HasSubstr("'wide'[0] is 18446744073709551615"));
    EXPECT_THAT(refusal(GgufWriter().u32(std::string(70000, 'k'), 1).bytes()),
                HasSubstr("name length 70000 is too long, the limit is 65535"));
}

TEST(GgufChecks, MetadataElementsHaveALimitThatIsStated) {
    ByteWriter array;
    const std::uint64_t n = kMaxMetadataElements + 1;
    array.put(std::uint32_t{0}).put(n).bytes.resize(12 + n);
    EXPECT_THAT(refusal(GgufWriter().key("k", kArray, array.bytes).bytes()),
                HasSubstr("may hold 16777216 elements"));
}

TEST(GgufChecks, NamesInMessagesAreShortAndPrintable) {
    const std::string name = "bad\xff\xfename" + std::string(500, 'x');
    const std::string message = refusal(GgufWriter().u32(name, 1).u32(name, 1).bytes());
    EXPECT_THAT(message, HasSubstr("bad??name"));
    EXPECT_LT(message.size(), 300U);
}

TEST(GgufChecks, ScalarsAndFilesWithoutTensorsAreLegal) {
    const std::string bytes = GgufWriter().tensor("s", {}, kF32, floats(1)).bytes();
    const auto scalar = parse(bytes);
    ASSERT_TRUE(scalar) << scalar.error().toString();
    EXPECT_EQ(scalar->tensors[0].nElements(), 1);
    EXPECT_EQ(scalar->tensors[0].sizeBytes, 4U);
    EXPECT_TRUE(parse(GgufWriter().text("general.architecture", "llama").bytes()));
}

}  // namespace
}  // namespace lanescope
