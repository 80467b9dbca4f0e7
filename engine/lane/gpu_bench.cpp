#include "engine/lane/gpu_bench.h"

#include <algorithm>
#include <functional>

#include "engine/backend/cuda/gpu_memory.h"
#include "engine/base/format.h"

namespace lanescope {

namespace {

using kernels::DType;
using kernels::cuda::kSuccess;
using kernels::cuda::Status;

/// Times work between two events of the device.
class Stopwatch {
  public:
    explicit Stopwatch(GpuDevice& device)
        : m_device(device), m_from(device.makeEvent()), m_to(device.makeEvent()) {}

    /// Median ns of work(i), which queues one repetition; the first is a warm-up.
    Result<double> median(int repetitions, const std::function<Status(int)>& work,
                          const CancelToken& cancel) {
        if (m_from == nullptr || m_to == nullptr)
            return Error{ErrorCode::NoDevice, "no event could be made", m_device.info().name, ""};
        std::vector<double> all;
        for (int i = 0; i <= repetitions; ++i) {
            if (cancel.requested()) return cancelled();
            Status status = m_device.record(*m_from);
            if (status == kSuccess) status = work(i);
            if (status == kSuccess) status = m_device.record(*m_to);
            if (status == kSuccess) status = m_device.synchronise();
            std::int64_t ns = 0;
            if (status == kSuccess) status = m_device.elapsed(*m_from, *m_to, ns);
            if (status != kSuccess)
                return Error{ErrorCode::NoDevice, m_device.describe(status), m_device.info().name,
                             ""};
            if (i > 0) all.push_back(static_cast<double>(std::max<std::int64_t>(ns, 1)));
        }
        std::nth_element(all.begin(), all.begin() + std::ssize(all) / 2, all.end());
        return all[all.size() / 2];
    }

  private:
    GpuDevice& m_device;
    std::unique_ptr<GpuEvent> m_from, m_to;
};

Result<void> takeMemory(GpuDevice& device, std::uint64_t bytes, GpuMemory& memory) {
    memory = GpuMemory(device, GpuMemory::Kind::Device, bytes);
    if (memory.present()) return {};
    return outOfMemory(device.info().name + " refused " + formatBytes(bytes) + ", " +
                       formatBytes(device.freeBytes()) + " free");
}

Result<double> copyGbps(GpuDevice& device, Stopwatch& watch, const GpuMemory& memory,
                        int repetitions, const CancelToken& cancel) {
    const std::uint64_t half = memory.bytes() / 2;
    auto ns = watch.median(
        repetitions, [&](int) { return device.copy(memory.data() + half, memory.data(), half); },
        cancel);
    if (!ns) return ns.error();
    return 2.0 * static_cast<double>(half) / *ns;
}

class Bench {
  public:
    Bench(GpuDevice& device, const GpuBenchSizes& sizes, const CancelToken& cancel,
          const GpuRival* rival)
        : m_device(device), m_sizes(sizes), m_cancel(cancel), m_rival(rival), m_watch(device) {}

    Result<GpuBench> run() {
        if (auto made = allocate(); !made) return made.error();
        if (auto done = copy(); !done) return done.error();
        for (const DType type : {DType::Q4_0, DType::Q4_K, DType::Q5_K, DType::Q6_K, DType::Q8_0,
                                 DType::BF16, DType::F16})
            for (const std::int64_t n : {std::int64_t{1}, std::int64_t{8}, m_sizes.promptTokens})
                if (auto done = product(type, n); !done) return done.error();
        for (const std::int64_t n : {std::int64_t{1}, m_sizes.promptTokens})
            if (auto done = attention(n); !done) return done.error();
        return std::move(m_out);
    }

  private:
    [[nodiscard]] std::int64_t tokens() const {
        return std::max<std::int64_t>(m_sizes.promptTokens, 8);
    }

    Result<void> take(GpuMemory& memory, std::uint64_t bytes) {
        return takeMemory(m_device, bytes, memory);
    }

    Result<void> allocate() {
        const auto widest = static_cast<std::uint64_t>(std::max(m_sizes.ffn, m_sizes.dim));
        const auto n = static_cast<std::uint64_t>(tokens());
        if (auto ok = take(m_cold, m_sizes.coldBytes); !ok) return ok;
        if (auto ok = take(m_x, 4 * n * widest); !ok) return ok;
        if (auto ok = take(m_y, 4 * n * widest); !ok) return ok;
        if (auto ok = take(m_acts, 2 * n * widest); !ok) return ok;
        return fill(m_cold) && fill(m_x) && fill(m_acts)
                   ? Result<void>()
                   : Error{ErrorCode::NoDevice, "memory cannot be written", m_device.info().name,
                           ""};
    }

    /// Any bytes will do, but not one and the same: a device computes zeros with less power, and so
    /// at a higher clock.
    bool fill(const GpuMemory& memory) {
        std::vector<std::byte> bytes(
            std::min<std::uint64_t>(memory.bytes(), std::uint64_t{16} << 20));
        std::uint32_t seed = 1;
        for (std::byte& each : bytes) {
            seed = seed * 1664525U + 1013904223U;
            each = static_cast<std::byte>(seed >> 24U);
        }
        for (std::uint64_t at = 0; at < memory.bytes(); at += bytes.size())
            if (m_device.upload(memory.data() + at, bytes.data(),
                                std::min<std::uint64_t>(bytes.size(), memory.bytes() - at)) !=
                kSuccess)
                return false;
        return m_device.synchronise() == kSuccess;
    }

    void add(std::string name, double ns, double bytes, double flops) {
        GpuBenchRow row;
        row.name = std::move(name);
        row.us = ns / 1e3;
        row.gbps = bytes / ns;
        row.tflops = flops / ns / 1e3;
        row.ofCopy = m_out.copyGbps > 0.0 ? row.gbps / m_out.copyGbps : 0.0;
        m_out.rows.push_back(std::move(row));
    }

    Result<void> copy() {
        auto gbps = copyGbps(m_device, m_watch, m_cold, m_sizes.repetitions, m_cancel);
        if (!gbps) return gbps.error();
        m_out.copyGbps = *gbps;
        return {};
    }

    Result<void> product(DType type, std::int64_t nTokens) {
        const bool blocks = kernels::info(type).blockSize > 1;
        if (!m_device.ops().canMultiply(type, blocks)) return {};
        kernels::MatmulArgs args;
        args.weightType = type;
        args.nRows = args.rowEnd = args.yStride = m_sizes.ffn;
        args.nCols = m_sizes.dim;
        args.nTokens = nTokens;
        args.x = reinterpret_cast<const float*>(m_x.data());
        args.y = reinterpret_cast<float*>(m_y.data());
        kernels::ActsQ8 acts;
        acts.nCols = m_sizes.dim;
        const auto values = static_cast<std::uint64_t>(tokens() * m_sizes.dim);
        acts.q = reinterpret_cast<std::int8_t*>(m_acts.data());
        acts.scale = reinterpret_cast<float*>(m_acts.data() + values);
        acts.sum16 = reinterpret_cast<std::int16_t*>(m_acts.data() + values + values / 8);
        if (blocks) args.xq = &acts;
        const auto bytes =
            static_cast<std::uint64_t>(args.nRows * kernels::rowBytes(type, args.nCols));
        if (bytes > m_cold.bytes()) return {};
        auto measured = measureProduct(args, bytes, "", [&](const kernels::MatmulArgs& own) {
            return blocks ? m_device.ops().matmul(own, m_device.stream())
                          : m_device.ops().matmulTensor(own, m_device.stream());
        });
        if (!measured || blocks || m_rival == nullptr) return measured;
        args.xb = reinterpret_cast<const std::uint16_t*>(m_x.data());
        auto beside = measureProduct(args, bytes, ", " + m_rival->name, m_rival->product);
        // What it refuses has no row; a device that has failed says so at the next product of ours.
        if (!beside && beside.error().code != ErrorCode::Cancelled) return {};
        return beside;
    }

    /// A row of a product whose weights, of so many bytes, lie elsewhere in each repetition.
    Result<void> measureProduct(kernels::MatmulArgs args, std::uint64_t bytes,
                                const std::string& after,
                                const std::function<Status(const kernels::MatmulArgs&)>& work) {
        const std::uint64_t places = std::max<std::uint64_t>(1, m_cold.bytes() / bytes);
        auto ns = m_watch.median(
            m_sizes.repetitions,
            [&](int i) {
                args.weight = m_cold.data() + static_cast<std::uint64_t>(i) % places * bytes;
                return work(args);
            },
            m_cancel);
        if (!ns) return ns.error();
        add("product " + std::string(kernels::info(args.weightType).name) + " " +
                std::to_string(args.nRows) + "x" + std::to_string(args.nCols) + ", " +
                std::to_string(args.nTokens) + (args.nTokens == 1 ? " token" : " tokens") + after,
            *ns,
            static_cast<double>(bytes) +
                4.0 * static_cast<double>(args.nTokens * (args.nRows + args.nCols)),
            2.0 * static_cast<double>(args.nTokens * args.nRows * args.nCols));
        return {};
    }

    /// The last n tokens of a full context.
    Result<void> attention(std::int64_t n) {
        constexpr std::int64_t kBlock = 16;
        const GpuBenchSizes& s = m_sizes;
        const std::int64_t nBlocks = (s.context + kBlock - 1) / kBlock;
        const auto cacheBytes =
            static_cast<std::uint64_t>(2 * nBlocks * s.kvHeads * kBlock * s.headDim);
        const std::int64_t splits =
            n == 1 ? (s.context + kernels::kAttentionStretch - 1) / kernels::kAttentionStretch : 1;
        GpuMemory numbers;
        GpuMemory partial;
        std::vector<std::int32_t> host;
        std::vector<kernels::cuda::AttentionTile> tiles;
        for (std::int64_t i = 0; i < n; ++i)
            host.push_back(static_cast<std::int32_t>(s.context - n + i));
        host.insert(host.end(), static_cast<std::size_t>(n), 0);
        for (std::int64_t i = 0; i < nBlocks; ++i) host.push_back(static_cast<std::int32_t>(i));
        for (std::int64_t i = 0; i < n; i += kernels::kAttentionTile) {
            host.push_back(static_cast<std::int32_t>(i));
            host.push_back(static_cast<std::int32_t>(std::min(kernels::kAttentionTile, n - i)));
        }
        if (2 * cacheBytes > m_cold.bytes()) return {};
        if (auto ok = take(numbers, host.size() * sizeof(std::int32_t)); !ok) return ok;
        if (auto ok =
                take(partial, static_cast<std::uint64_t>(n * s.heads * splits * (s.headDim + 2)) *
                                  sizeof(float));
            !ok)
            return ok;
        const auto* ints = reinterpret_cast<const std::int32_t*>(numbers.data());
        if (m_device.upload(numbers.data(), host.data(), numbers.bytes()) != kSuccess ||
            m_device.synchronise() != kSuccess)
            return Error{ErrorCode::NoDevice, "memory cannot be written", m_device.info().name, ""};
        kernels::cuda::PagedAttentionArgs args;
        args.q = reinterpret_cast<const float*>(m_x.data());
        args.qStride = s.heads * s.headDim;
        args.out = reinterpret_cast<float*>(m_y.data());
        args.positions = ints;
        args.nTokens = n;
        args.nHeads = s.heads;
        args.scale = 0.1F;
        args.kv.kFormat = args.kv.vFormat = kernels::KvFormat::F16;
        args.kv.k = m_cold.data();
        args.kv.v = m_cold.data() + cacheBytes;
        args.kv.blockTokens = kBlock;
        args.kv.nKvHeads = s.kvHeads;
        args.kv.headDim = s.headDim;
        args.tables = {ints + n, ints + 2 * n, nBlocks};
        args.tiles = reinterpret_cast<const kernels::cuda::AttentionTile*>(ints + 2 * n + nBlocks);
        args.nTiles = (n + kernels::kAttentionTile - 1) / kernels::kAttentionTile;
        args.nSplits = splits;
        if (splits > 1) args.partial = reinterpret_cast<float*>(partial.data());
        auto ns = m_watch.median(
            m_sizes.repetitions,
            [&](int) { return m_device.ops().attention(args, m_device.stream()); }, m_cancel);
        if (!ns) return ns.error();
        const double pairs = static_cast<double>(n) * static_cast<double>(s.context - n) +
                             0.5 * static_cast<double>(n) * static_cast<double>(n + 1);
        add("attention " + std::to_string(s.heads) + "/" + std::to_string(s.kvHeads) +
                " heads of " + std::to_string(s.headDim) + ", last " + std::to_string(n) + " of " +
                std::to_string(s.context),
            *ns, 2.0 * static_cast<double>(cacheBytes),
            4.0 * pairs * static_cast<double>(s.heads * s.headDim));
        return {};
    }

    GpuDevice& m_device;
    const GpuBenchSizes& m_sizes;
    const CancelToken& m_cancel;
    const GpuRival* m_rival;
    Stopwatch m_watch;
    GpuMemory m_cold, m_x, m_y, m_acts;
    GpuBench m_out;
};

}  // namespace

Result<double> measureCopyGbps(GpuDevice& device, std::uint64_t bytes, int repetitions,
                               const CancelToken& cancel) {
    GpuMemory memory;
    if (auto taken = takeMemory(device, 2 * bytes, memory); !taken) return taken.error();
    Stopwatch watch(device);
    return copyGbps(device, watch, memory, repetitions, cancel);
}

Result<GpuBench> benchGpu(GpuDevice& device, const GpuBenchSizes& sizes, const CancelToken& cancel,
                          const GpuRival* rival) {
    return Bench(device, sizes, cancel, rival).run();
}

}  // namespace lanescope
