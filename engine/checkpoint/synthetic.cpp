#include "engine/checkpoint/synthetic.h"

#include <sys/mman.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/base/format.h"
#include "engine/base/json.h"
#include "engine/base/mapped_file.h"
#include "engine/base/thread_pool.h"
#include "engine/checkpoint/checkpoint_builder.h"
#include "engine/checkpoint/synthetic_parts.h"
#include "engine/checkpoint/tensor_size.h"

namespace lanescope {

namespace {

using kernels::DType;
using nlohmann::json;

constexpr std::size_t kMaxConfigBytes = std::size_t{16} << 20;
constexpr std::uint64_t kTensorAlignment = 64;
/// Elements of the random pattern that every row is cut from. Several megabytes, far over the
/// stride of any prefetcher; weights themselves lie in memory of their own.
constexpr std::int64_t kPatternElements = std::int64_t{4} << 20;

struct Settings {
    DType format = DType::F16;
    std::uint64_t seed = 0;
};

/// Addresses for all matrices, without memory until they are written to.
class Reservation {
  public:
    explicit Reservation(std::uint64_t bytes) : m_bytes(std::max<std::uint64_t>(bytes, 1)) {
        void* data = ::mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (data == MAP_FAILED) return;
        m_data = static_cast<std::byte*>(data);
        ::madvise(m_data, m_bytes, MADV_HUGEPAGE);
    }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;
    ~Reservation() {
        if (m_data != nullptr) ::munmap(m_data, m_bytes);
    }
    [[nodiscard]] std::byte* data() const { return m_data; }

  private:
    std::uint64_t m_bytes;
    std::byte* m_data = nullptr;
};

/// A matrix inside the reservation.
struct Matrix {
    std::uint64_t offset;
    std::int64_t nRows;
    std::uint64_t rowBytes;
    DType type;
};

class SyntheticWeights : public LazyWeights {
  public:
    SyntheticWeights(std::uint64_t bytes, std::uint64_t seed) : m_memory(bytes), m_seed(seed) {}

    Result<void> fill() override {
        const std::lock_guard lock(m_mutex);
        if (m_filled) return {};
        ThreadPool pool(static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 16U)));
        for (std::size_t i = 0; i < m_matrices.size(); ++i) fillMatrix(pool, i);
        m_patterns.clear();
        m_filled = true;
        return {};
    }

    [[nodiscard]] std::byte* data() const { return m_memory.data(); }
    void addMatrix(const Matrix& matrix) { m_matrices.push_back(matrix); }
    std::vector<std::vector<float>>& vectors() { return m_vectors; }

  private:
    const std::vector<std::byte>& pattern(DType type) {
        auto& found = m_patterns[static_cast<int>(type)];
        if (found.empty())
            found = randomBlocks(type, kPatternElements, mix(m_seed, static_cast<int>(type)));
        return found;
    }

    /// Every row is a piece of the pattern from a random block on (around its end and again).
    void fillMatrix(ThreadPool& pool, std::size_t index) {
        const Matrix& matrix = m_matrices[index];
        const std::vector<std::byte>& source = pattern(matrix.type);
        const auto blockBytes = static_cast<std::uint64_t>(kernels::info(matrix.type).blockBytes);
        const std::uint64_t nBlocks = source.size() / blockBytes;
        const std::uint64_t salt = mix(m_seed, index);
        pool.split(matrix.nRows, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t row = begin; row < end; ++row) {
                std::byte* out = m_memory.data() + matrix.offset +
                                 static_cast<std::uint64_t>(row) * matrix.rowBytes;
                std::uint64_t from =
                    mix(salt, static_cast<std::uint64_t>(row)) % nBlocks * blockBytes;
                for (std::uint64_t left = matrix.rowBytes; left > 0; from = 0) {
                    const std::uint64_t n = std::min<std::uint64_t>(left, source.size() - from);
                    std::memcpy(out, source.data() + from, n);
                    out += n;
                    left -= n;
                }
            }
        });
    }

    std::mutex m_mutex;
    bool m_filled = false;
    Reservation m_memory;
    std::uint64_t m_seed;
    std::vector<Matrix> m_matrices;
    std::vector<std::vector<float>> m_vectors;  ///< norms and biases, there from the start
    std::map<int, std::vector<std::byte>> m_patterns;
};

Result<void> setFormat(Settings& settings, std::string_view name, const std::string& where) {
    std::string known;
    for (int i = 0; i < kernels::kDTypes; ++i) {
        const auto type = static_cast<DType>(i);
        const std::string_view each = kernels::info(type).name;
        const bool plain = type == DType::F32 || type == DType::F16 || type == DType::BF16;
        if (kernels::info(type).blockSize == 1 && !plain) continue;
        known += (known.empty() ? "" : ", ") + std::string(each);
        if (each != name) continue;
        settings.format = type;
        return {};
    }
    return usageError("format \"" + std::string(name) + "\" of " + where + " is not known",
                      "known are " + known);
}

/// "format=q4_0&seed=3"
Result<void> readQuery(Settings& settings, std::string_view query, const std::string& model) {
    while (!query.empty()) {
        const std::string_view item = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), item.size() + 1));
        const std::size_t equals = item.find('=');
        const std::string_view key = item.substr(0, equals);
        const std::string_view value =
            equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
        if (key == "format") {
            if (auto set = setFormat(settings, value, model); !set) return set;
            continue;
        }
        const char* end = value.data() + value.size();
        const auto parsed = std::from_chars(value.data(), end, settings.seed);
        if (key != "seed" || value.empty() || parsed.ec != std::errc() || parsed.ptr != end)
            return usageError("\"" + std::string(item) + "\" of " + model + " is not understood",
                              "use format=NAME and seed=NUMBER");
    }
    return {};
}

Result<Settings> settingsOf(const json& config, std::string_view query, const std::string& model) {
    Settings settings;
    if (const auto own = config.find("lanescope"); own != config.end()) {
        if (!own->is_object()) return badInput("key lanescope is not an object", model);
        for (const auto& [key, value] : own->items()) {
            if (key == "format" && value.is_string()) {
                if (auto set = setFormat(settings, value.get<std::string>(), model); !set)
                    return set.error();
            } else if (key == "seed" && value.is_number_unsigned()) {
                settings.seed = value.get<std::uint64_t>();
            } else {
                return badInput("key lanescope." + key + " is not understood", model,
                                "use \"format\": \"q4_0\" and \"seed\": 1");
            }
        }
    }
    if (auto read = readQuery(settings, query, model); !read) return read.error();
    return settings;
}

/// Rows that the format's blocks do not divide are kept in f16.
DType typeFor(DType wanted, std::int64_t rowLength) {
    return rowLength % kernels::info(wanted).blockSize == 0 ? wanted : DType::F16;
}

std::vector<float> smallVector(const SyntheticTensor& tensor, std::uint64_t seed) {
    const std::vector<std::byte> bytes = randomBlocks(DType::F32, tensor.shape[0], seed);
    std::vector<float> out(static_cast<std::size_t>(tensor.shape[0]));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    const bool bias = tensor.name.ends_with(".bias");
    for (float& v : out) v += bias ? 0.0F : 1.0F;
    return out;
}

struct Layout {
    std::vector<TensorView> tensors;
    std::vector<Matrix> matrices;  ///< of the tensors with two dimensions, in order
    std::uint64_t bytes = 0;
};

/// Types, sizes and offsets of the matrices; pointers come later.
Result<Layout> layOut(const std::vector<SyntheticTensor>& table, DType format,
                      const std::string& model) {
    Layout out;
    for (const SyntheticTensor& t : table) {
        const bool matrix = t.shape.size() == 2;
        const DType type = matrix ? typeFor(format, t.shape[1]) : DType::F32;
        const auto bytes = tensorBytes(t.shape, type);
        if (!bytes || *bytes > (std::uint64_t{1} << 46))
            return badInput(
                "tensor " + t.name + " of shape " + shapeText(t.shape) + " is too large", model);
        out.tensors.push_back({t.name, type, t.shape, nullptr, *bytes});
        if (!matrix) continue;
        out.matrices.push_back(
            {out.bytes, t.shape[0], *bytes / static_cast<std::uint64_t>(t.shape[0]), type});
        out.bytes += (*bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
    }
    return out;
}

}  // namespace

std::string syntheticConfigPath(std::string_view model) {
    model.remove_prefix(kSyntheticPrefix.size());
    return std::string(model.substr(0, model.rfind('?')));
}

Result<std::shared_ptr<const Checkpoint>> openSynthetic(const std::string& model) {
    const std::string path = syntheticConfigPath(model);
    const std::size_t queryAt = kSyntheticPrefix.size() + path.size() + 1;
    const std::string query = queryAt < model.size() ? model.substr(queryAt) : std::string();
    auto text = readTextFile(path, kMaxConfigBytes);
    if (!text) return text.error();
    auto parsed = parseJson(*text, path);
    if (!parsed) return parsed.error();
    if (!parsed->is_object()) return badInput("is not a config.json: it holds no object", path);
    json config = std::move(*parsed);
    const auto settings = settingsOf(config, query, model);
    if (!settings) return settings.error();
    const auto table = syntheticTensors(config, path);
    if (!table) return table.error();
    auto layout = layOut(*table, settings->format, model);
    if (!layout) return layout.error();

    auto weights = std::make_shared<SyntheticWeights>(layout->bytes, settings->seed);
    if (weights->data() == nullptr)
        return outOfMemory(
            "the system does not reserve " + formatBytes(layout->bytes) + " of addresses", model,
            "choose a smaller format");
    std::size_t nextMatrix = 0;
    for (std::size_t i = 0; i < layout->tensors.size(); ++i) {
        TensorView& tensor = layout->tensors[i];
        if (tensor.shape.size() == 2) {
            const Matrix& matrix = layout->matrices[nextMatrix++];
            weights->addMatrix(matrix);
            tensor.data = weights->data() + matrix.offset;
            continue;
        }
        auto& values = weights->vectors().emplace_back(
            smallVector((*table)[i], mix(settings->seed, i + 1'000'000)));
        tensor.data = reinterpret_cast<const std::byte*>(values.data());
    }
    CheckpointBuilder builder(CheckpointFormat::HuggingFace, model);
    config.erase("lanescope");
    builder.setConfig(std::move(config));
    if (auto added = builder.addLazy(std::move(weights), std::move(layout->tensors)); !added)
        return added.error();
    return builder.build();
}

}  // namespace lanescope
