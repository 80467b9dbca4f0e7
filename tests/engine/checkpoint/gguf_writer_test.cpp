// Writing GGUF: what is read back is what was put in, byte for byte, and a write that fails leaves
// nothing behind.

#include "engine/checkpoint/gguf_writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "engine/checkpoint/gguf_reader.h"
#include "tests/support/golden.h"

namespace lanescope {
namespace {

namespace fs = std::filesystem;

class GgufWriting : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "lanescope-gguf-XXXXXX").string();
        m_folder = mkdtemp(pattern.data());
    }
    void TearDown() override {
        std::error_code ignored;
        fs::remove_all(m_folder, ignored);
    }
    [[nodiscard]] std::string file(const std::string& name) const { return m_folder / name; }
    [[nodiscard]] int nFiles() const {
        return static_cast<int>(std::distance(fs::directory_iterator(m_folder), {}));
    }

    fs::path m_folder;
};

std::vector<std::string> goldenGgufs() {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(test::goldenDir() + "/gguf")) {
        if (entry.path().extension() == ".gguf" && entry.path().stem() != "kvtypes_be")
            out.push_back(entry.path().string());
    }
    std::sort(out.begin(), out.end());
    return out;
}

TEST_F(GgufWriting, ACopyOfEveryGoldenFileHasTheSameBytes) {
    int nFiles = 0;
    for (const std::string& path : goldenGgufs()) {
        SCOPED_TRACE(path);
        auto original = Checkpoint::open(path);
        ASSERT_TRUE(original) << original.error().toString();
        GgufWriter writer;
        writer.copyMetadata((*original)->metadata());
        writer.copyTensors(**original);
        auto written = writer.write(file("copy.gguf"));
        ASSERT_TRUE(written) << written.error().toString();
        EXPECT_EQ(fs::file_size(file("copy.gguf")), writer.fileBytes());

        auto copy = Checkpoint::open(file("copy.gguf"));
        ASSERT_TRUE(copy) << copy.error().toString();
        const auto& before = (*original)->metadata();
        const auto& after = (*copy)->metadata();
        ASSERT_EQ(after.items().size(), before.items().size());
        for (std::size_t i = 0; i < before.items().size(); ++i) {
            EXPECT_EQ(after.items()[i].first, before.items()[i].first) << "order of keys";
            EXPECT_EQ(after.stored(i), before.stored(i)) << before.items()[i].first;
        }
        ASSERT_EQ((*copy)->tensors().size(), (*original)->tensors().size());
        for (std::size_t i = 0; i < (*copy)->tensors().size(); ++i) {
            const TensorView& a = (*original)->tensors()[i];
            const TensorView& b = (*copy)->tensors()[i];
            EXPECT_EQ(b.name, a.name);
            EXPECT_EQ(b.shape, a.shape) << a.name;
            EXPECT_EQ(b.dtype, a.dtype) << a.name;
            ASSERT_EQ(b.sizeBytes, a.sizeBytes) << a.name;
            EXPECT_EQ(std::memcmp(a.data, b.data, a.sizeBytes), 0) << a.name;
        }
        EXPECT_EQ(test::readFile(file("copy.gguf")) == test::readFile(path), true)
            << "the golden files were written without gaps, so a copy is the same file";
        ++nFiles;
    }
    EXPECT_GE(nFiles, 30);
}

TEST_F(GgufWriting, EveryValueTypeIsReadBackAsItWasSet) {
    GgufWriter writer;
    writer.set("general.architecture", GgufValue::text("test"));
    writer.set("general.alignment", GgufValue::number(std::uint32_t{128}));
    writer.set("u8", GgufValue::number(std::uint8_t{255}));
    writer.set("i8", GgufValue::number(std::int8_t{-128}));
    writer.set("u16", GgufValue::number(std::uint16_t{65535}));
    writer.set("i16", GgufValue::number(std::int16_t{-32768}));
    writer.set("i32", GgufValue::number(std::int32_t{INT32_MIN}));
    writer.set("u64", GgufValue::number(std::uint64_t{UINT64_MAX}));
    writer.set("i64", GgufValue::number(std::int64_t{INT64_MIN}));
    writer.set("f32", GgufValue::number(0.1F));
    writer.set("f64", GgufValue::number(0.1));
    writer.set("bool", GgufValue::number(true));
    const std::vector<std::string> words{"a", "", "z\xC3\xA9"};
    writer.set("words", GgufValue::texts(words));
    writer.set("empty", GgufValue::texts({}));
    const std::vector<float> floats{1.5F, -2.0F};
    writer.set("floats", GgufValue::numbers(std::span<const float>(floats)));
    const std::vector<std::int32_t> ints{1, -2, 3};
    const std::vector<GgufValue> inner{GgufValue::numbers(std::span<const std::int32_t>(ints)),
                                       GgufValue::texts({})};
    writer.set("nested", GgufValue::array(GgufValueType::Array, inner));
    writer.set("gone", GgufValue::number(1.0F));
    writer.remove("gone");
    writer.set("u8", GgufValue::number(std::uint8_t{7}));  // keeps its place

    const std::vector<float> values{1, 2, 3, 4, 5, 6};
    const auto* data = reinterpret_cast<const std::byte*>(values.data());
    writer.addTensor({"scalar", kernels::DType::F32, {}, data, {}});
    writer.addTensor({"matrix", kernels::DType::F32, {2, 3}, data, {}});
    writer.addTensor({"four", kernels::DType::F16, {1, 2, 1, 3}, data, {}});
    GgufTensor produced{"produced", kernels::DType::F32, {6}, nullptr, {}};
    produced.produce = [&](const GgufSink& sink) -> Result<void> {
        if (auto first = sink({data, 8}); !first) return first;
        return sink({data + 8, 16});
    };
    writer.addTensor(produced);
    auto written = writer.write(file("made.gguf"));
    ASSERT_TRUE(written) << written.error().toString();

    auto opened = Checkpoint::open(file("made.gguf"));
    ASSERT_TRUE(opened) << opened.error().toString();
    const Metadata& m = (*opened)->metadata();
    EXPECT_EQ(m.integer("u8"), 7);
    EXPECT_EQ(m.items()[2].first, "u8");
    EXPECT_EQ(m.integer("i8"), -128);
    EXPECT_EQ(m.integer("u16"), 65535);
    EXPECT_EQ(m.integer("i16"), -32768);
    EXPECT_EQ(m.integer("i32"), INT32_MIN);
    EXPECT_EQ(m.number("u64"), 18446744073709551615.0);
    EXPECT_EQ(m.integer("i64"), INT64_MIN);
    EXPECT_EQ(m.number("f32"), static_cast<double>(0.1F));
    EXPECT_EQ(m.number("f64"), 0.1);
    EXPECT_EQ(m.boolean("bool"), true);
    ASSERT_NE(m.strings("words"), nullptr);
    EXPECT_EQ(m.strings("words")->at(2), words[2]);
    ASSERT_NE(m.strings("empty"), nullptr) << "an empty array keeps its element type";
    EXPECT_TRUE(m.strings("empty")->empty());
    EXPECT_EQ(m.find("gone"), nullptr);
    const auto* nested = std::get_if<std::shared_ptr<const MetaNested>>(m.find("nested"));
    ASSERT_NE(nested, nullptr);
    ASSERT_EQ((*nested)->items.size(), 2U);
    EXPECT_EQ(std::get<std::vector<std::int64_t>>((*nested)->items[0]),
              (std::vector<std::int64_t>{1, -2, 3}));
    EXPECT_TRUE((*opened)->find("scalar")->shape.empty());
    EXPECT_EQ((*opened)->find("four")->shape, (std::vector<std::int64_t>{1, 2, 1, 3}));
    for (const char* name : {"matrix", "produced"})
        EXPECT_EQ(std::memcmp((*opened)->find(name)->data, data, 24), 0) << name;
    const auto start = reinterpret_cast<std::uintptr_t>((*opened)->find("scalar")->data);
    EXPECT_EQ((reinterpret_cast<std::uintptr_t>((*opened)->find("matrix")->data) - start), 128U)
        << "tensors lie at multiples of general.alignment";
}

TEST_F(GgufWriting, EveryTypeOfOursHasItsNumber) {
    for (int i = 0; i < kernels::kDTypes; ++i) {
        const auto type = static_cast<kernels::DType>(i);
        EXPECT_EQ(ggufDType(ggufTypeNumber(type)), type) << kernels::info(type).name;
    }
}

GgufWriter megabyteFile(std::vector<std::byte>& data) {
    data.assign(std::size_t{8} << 20, std::byte{1});
    GgufWriter writer;
    writer.set("general.architecture", GgufValue::text("test"));
    writer.addTensor({"big", kernels::DType::I8, {8 << 20}, data.data(), {}});
    return writer;
}

TEST_F(GgufWriting, ACancelledWriteLeavesTheOldFileAndNothingElse) {
    std::vector<std::byte> data;
    const GgufWriter writer = megabyteFile(data);
    ASSERT_TRUE(writeFileAtomically(file("model.gguf"), "old"));
    CancelToken cancel;
    GgufWriter::Options options;
    options.cancel = &cancel;
    std::uint64_t seen = 0;
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
        seen = done;
        EXPECT_EQ(total, writer.fileBytes());
        if (done >= (std::uint64_t{4} << 20)) cancel.request();
    };
    const auto written = writer.write(file("model.gguf"), options);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::Cancelled);
    EXPECT_LT(seen, writer.fileBytes());
    EXPECT_EQ(test::readFile(file("model.gguf")), "old");
    EXPECT_EQ(nFiles(), 1);
}

/// A limit on file size fails as a full disk does: in the middle of a write.
TEST_F(GgufWriting, AWriteThatRunsOutOfSpaceLeavesNothing) {
    std::vector<std::byte> data;
    const GgufWriter writer = megabyteFile(data);
    struct rlimit before {};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit small = before;
    small.rlim_cur = 1 << 20;
    std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto written = writer.write(file("model.gguf"));
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::Io);
    EXPECT_EQ(nFiles(), 0) << "no half file, no temporary one";
}

TEST_F(GgufWriting, WhatCannotBeWrittenIsRefusedWithItsName) {
    std::vector<std::byte> data(64);
    const auto refused = [&](const GgufTensor& tensor, const char* words) {
        GgufWriter writer;
        writer.addTensor(tensor);
        const auto written = writer.write(file("x.gguf"));
        ASSERT_FALSE(written) << words;
        EXPECT_NE(written.error().toString().find(words), std::string::npos)
            << written.error().toString();
        EXPECT_EQ(nFiles(), 0);
    };
    refused({"five", kernels::DType::I8, {1, 1, 1, 1, 1}, data.data(), {}}, "5 dimensions");
    refused({"odd", kernels::DType::Q4_0, {2, 33}, data.data(), {}}, "blocks of q4_0");
    refused({"", kernels::DType::I8, {1}, data.data(), {}}, "name of 0 bytes");
    GgufTensor tooShort{"short", kernels::DType::I8, {64}, nullptr, {}};
    tooShort.produce = [&](const GgufSink& sink) { return sink({data.data(), 10}); };
    refused(tooShort, "has 64 bytes, 10 were produced");
    GgufWriter twice;
    twice.addTensor({"same", kernels::DType::I8, {1}, data.data(), {}});
    twice.addTensor({"same", kernels::DType::I8, {1}, data.data(), {}});
    EXPECT_FALSE(twice.write(file("x.gguf")));
    GgufWriter fine;
    const auto nowhere = fine.write(file("no/such/folder/x.gguf"));
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().code, ErrorCode::Io);
    EXPECT_FALSE(fine.write(m_folder.string())) << "a folder is not replaced";
}

TEST_F(GgufWriting, AnOpenedFileThatIsShortenedIsNoticed) {
    std::vector<std::byte> data;
    const GgufWriter writer = megabyteFile(data);
    ASSERT_TRUE(writer.write(file("model.gguf")));
    auto opened = Checkpoint::open(file("model.gguf"));
    ASSERT_TRUE(opened);
    EXPECT_TRUE((*opened)->checkUnchanged());
    fs::rename(file("model.gguf"), file("moved.gguf"));
    EXPECT_TRUE((*opened)->checkUnchanged()) << "another name is no change of the file";
    fs::resize_file(file("moved.gguf"), 1 << 20);
    const auto changed = (*opened)->checkUnchanged();
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().exitCode(), 3);
    EXPECT_NE(changed.error().message.find("changed on disk"), std::string::npos);
    EXPECT_NE(changed.error().message.find("1048576"), std::string::npos);
}

}  // namespace
}  // namespace lanescope
