// Every golden GGUF against what an independent reader (gguf-py) wrote down about it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/mapped_file.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/gguf_reader.h"
#include "engine/checkpoint/gguf_types.h"
#include "tests/support/checkpoint_writer.h"
#include "tests/support/golden.h"

namespace lanescope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

json toJson(const MetaValue& value) {
    return std::visit(
        [](const auto& v) -> json {
            using T = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<T, std::shared_ptr<const MetaNested>>) {
                json out = json::array();
                for (const auto& item : v->items) out.push_back(toJson(item));
                return out;
            } else {
                return json(v);
            }
        },
        value);
}

std::vector<std::string> goldenGgufs() {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(test::goldenDir() + "/gguf")) {
        const auto& path = entry.path();
        if (path.extension() == ".gguf" && path.stem() != "kvtypes_be") {
            out.push_back(path.stem().string());
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

json metaOf(const std::string& stem) {
    return json::parse(test::readFile(test::goldenDir() + "/gguf/" + stem + ".meta.json"));
}

class GoldenGguf : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        auto mapped = MappedFile::open(test::goldenDir() + "/gguf/" + GetParam() + ".gguf");
        ASSERT_TRUE(mapped) << mapped.error().toString();
        m_mapped = *mapped;
        auto parsed = parseGguf(m_mapped->bytes(), m_mapped->path());
        ASSERT_TRUE(parsed) << parsed.error().toString();
        m_file = std::move(*parsed);
        m_meta = metaOf(GetParam());
    }
    std::shared_ptr<const MappedFile> m_mapped;
    GgufFile m_file;
    json m_meta;
};

TEST_P(GoldenGguf, TensorTableIsTheOneThatWasWritten) {
    EXPECT_EQ(m_file.alignment, m_meta["alignment"]);
    ASSERT_EQ(m_file.tensors.size(), m_meta["tensors"].size());
    for (std::size_t i = 0; i < m_file.tensors.size(); ++i) {
        const TensorView& tensor = m_file.tensors[i];
        const json& expected = m_meta["tensors"][i];
        EXPECT_EQ(tensor.name, expected["name"]);
        auto shape = expected["ggml_shape"].get<std::vector<std::int64_t>>();
        std::reverse(shape.begin(), shape.end());
        EXPECT_EQ(tensor.shape, shape) << tensor.name;
        EXPECT_EQ(tensor.data - m_mapped->bytes().data(), expected["offset"]) << tensor.name;
        EXPECT_EQ(tensor.sizeBytes, expected["nbytes"]) << tensor.name;
        std::string type = expected["type"];
        std::string ours(kernels::info(tensor.dtype).name);
        std::transform(type.begin(), type.end(), type.begin(), ::tolower);
        std::transform(ours.begin(), ours.end(), ours.begin(), ::tolower);
        EXPECT_EQ(ours, type) << tensor.name;
    }
}

TEST_P(GoldenGguf, MetadataHasTheValuesThatWereWritten) {
    if (!m_meta.contains("kv")) GTEST_SKIP() << "checked by GgufTypes";
    for (const auto& [key, expected] : m_meta["kv"].items()) {
        const MetaValue* value = m_file.metadata.find(key);
        ASSERT_NE(value, nullptr) << key;
        const json found = toJson(*value);
        if (expected.contains("value")) {
            EXPECT_EQ(found, expected["value"]) << key;
            continue;
        }
        ASSERT_EQ(found.size(), expected["len"]) << key;
        for (std::size_t i = 0; i < expected["head"].size(); ++i) {
            EXPECT_EQ(found[i], expected["head"][i]) << key << " " << i;
        }
        const std::size_t nTail = expected["tail"].size();
        for (std::size_t i = 0; i < nTail; ++i) {
            EXPECT_EQ(found[found.size() - nTail + i], expected["tail"][i]) << key << " " << i;
        }
    }
}

TEST_P(GoldenGguf, OpensAsACheckpoint) {
    auto checkpoint = Checkpoint::open(m_mapped->path());
    ASSERT_TRUE(checkpoint) << checkpoint.error().toString();
    EXPECT_EQ((*checkpoint)->format(), CheckpointFormat::Gguf);
    EXPECT_EQ((*checkpoint)->fileBytes(), m_mapped->bytes().size());
    for (const TensorView& tensor : m_file.tensors) {
        const TensorView* found = (*checkpoint)->find(tensor.name);
        ASSERT_NE(found, nullptr) << tensor.name;
        EXPECT_EQ(std::memcmp(found->data, tensor.data, tensor.sizeBytes), 0) << tensor.name;
    }
    EXPECT_EQ((*checkpoint)->find("no.such.tensor"), nullptr);
    EXPECT_TRUE((*checkpoint)->config().is_null());
}

INSTANTIATE_TEST_SUITE_P(All, GoldenGguf, testing::ValuesIn(goldenGgufs()),
                         [](const auto& instance) {
                             std::string name = instance.param;
                             std::replace_if(
                                 name.begin(), name.end(),
                                 [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                             return name;
                         });

TEST(GgufTypes, EveryMetadataTypeIsReadWithItsValue) {
    auto opened = Checkpoint::open(test::goldenDir() + "/gguf/kvtypes.gguf");
    ASSERT_TRUE(opened) << opened.error().toString();
    const Metadata& metadata = (*opened)->metadata();
    const json meta = metaOf("kvtypes");
    for (const auto& [key, expected] : meta["kv_expected"].items()) {
        const MetaValue* value = metadata.find(key);
        ASSERT_NE(value, nullptr) << key;
        EXPECT_EQ(toJson(*value), expected) << key;
    }
    EXPECT_EQ(metadata.items().size(), meta["kv_types"].size());

    EXPECT_EQ(metadata.integer("t.u8"), 255);
    EXPECT_EQ(metadata.integer("t.i64"), INT64_MIN);
    EXPECT_EQ(metadata.integer("t.u64"), std::nullopt) << "2^64 - 1 does not fit";
    EXPECT_EQ(metadata.number("t.u64"), 18446744073709551615.0);
    EXPECT_EQ(metadata.number("t.f32"), 0.5);
    EXPECT_EQ(metadata.integer("t.f32"), std::nullopt);
    EXPECT_EQ(metadata.boolean("t.true"), true);
    EXPECT_EQ(metadata.boolean("t.u8"), std::nullopt);
    EXPECT_EQ(metadata.text("general.architecture"), "test");
    EXPECT_EQ(metadata.text("absent"), std::nullopt);
    ASSERT_NE(metadata.strings("t.arr_str"), nullptr);
    EXPECT_EQ(metadata.strings("t.arr_str")->size(), 4U);
    ASSERT_NE(metadata.integers("t.arr_i32"), nullptr);
    ASSERT_NE(metadata.numbers("t.arr_f32"), nullptr);
    EXPECT_EQ(metadata.integers("t.arr_f32"), nullptr);
}

TEST(GgufTypes, TensorsOfEveryRankAndPlainTypeHoldTheirBytes) {
    auto opened = Checkpoint::open(test::goldenDir() + "/gguf/kvtypes.gguf");
    ASSERT_TRUE(opened) << opened.error().toString();
    const auto golden = test::loadGolden(test::goldenDir() + "/gguf/kvtypes.tensors.safetensors");
    ASSERT_EQ((*opened)->tensors().size(), golden.size());
    for (const auto& [name, expected] : golden) {
        const TensorView* tensor = (*opened)->find(name);
        ASSERT_NE(tensor, nullptr) << name;
        EXPECT_EQ(tensor->shape, expected.shape) << name;
        EXPECT_EQ(tensor->nElements(), expected.nElements()) << name;
        ASSERT_EQ(tensor->sizeBytes, expected.bytes.size()) << name;
        EXPECT_EQ(std::memcmp(tensor->data, expected.bytes.data(), tensor->sizeBytes), 0) << name;
    }
}

TEST(GgufTypes, BigEndianFilesAreRefusedByThatWord) {
    auto opened = Checkpoint::open(test::goldenDir() + "/gguf/kvtypes_be.gguf");
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::Unsupported);
    EXPECT_NE(opened.error().message.find("big-endian"), std::string::npos);
}

TEST(GgufTypes, TypesWithoutAReaderAreRefusedByTheirName) {
    const std::pair<std::uint32_t, const char*> types[] = {
        {9, "type Q8_1 (number 9)"},
        {15, "type Q8_K (number 15)"},
        {31, "type Q4_0_4_4, taken out of the format (number 31)"},
        {41, "the unknown type number 41"}};
    for (const auto& [number, expected] : types) {
        test::GgufWriter writer;
        writer.text("general.architecture", "llama");
        writer.tensor("odd.weight", {256}, number, std::string(320, '\0'));
        const std::string bytes = writer.bytes();
        auto parsed = parseGguf(std::as_bytes(std::span(bytes)), "odd.gguf");
        ASSERT_FALSE(parsed) << expected;
        EXPECT_EQ(parsed.error().code, ErrorCode::Unsupported);
        const std::string text = parsed.error().toString();
        EXPECT_NE(text.find(expected), std::string::npos) << text;
        EXPECT_NE(text.find("tensor 'odd.weight'"), std::string::npos) << text;
        EXPECT_NE(text.find("Q4_K, Q5_K, Q6_K"), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace lanescope
