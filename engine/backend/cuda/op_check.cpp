#include "engine/backend/cuda/op_check.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "engine/base/format.h"
#include "engine/checkpoint/synthetic_parts.h"
#include "kernels/types/blocks.h"
#include "kernels/types/float16.h"

namespace lanescope {

namespace {

using kernels::DType;
using kernels::cuda::kSuccess;
using kernels::cuda::Status;

/// Where a block has its 16-bit scales, of the formats that kernels multiply.
struct ScaleField {
    std::size_t offset = 0;
    int count = 0;
};

ScaleField scaleField(DType type) {
    switch (type) {
        case DType::Q4_0:
        case DType::Q5_0:
        case DType::Q8_0:
            return {0, 1};
        case DType::Q4_1:
        case DType::Q5_1:
        case DType::Q4_K:
        case DType::Q5_K:
            return {0, 2};
        case DType::Q6_K:
            return {offsetof(kernels::BlockQ6_K, d), 1};
        default:
            return {};
    }
}

template <class T>
std::vector<float> asFloats(const std::vector<T>& values) {
    return {values.begin(), values.end()};
}

}  // namespace

std::string scientific(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1e", value);
    return text;
}

std::string describeFailure(const OpCheckRow& row) {
    if (!row.failure.empty()) return row.op + ": " + row.failure;
    if (row.cases == 0) return row.op + ": nothing was compared";
    return row.op + " is off by " + scientific(row.worst) + " of its largest value, " +
           scientific(row.tolerance) + " allowed (" + row.worstCase + ")";
}

HostActs::HostActs(std::int64_t nTokens, std::int64_t columns)
    : q(static_cast<std::size_t>(nTokens * columns)),
      scale(q.size() / kernels::kActsBlock),
      sum16(q.size() / 16),
      nCols(columns) {}

const kernels::OpTable& OpCheck::reference() {
    return kernels::opTable(kernels::Isa::Reference);
}

void OpCheck::begin(std::string op, double tolerance) {
    m_memory.clear();
    m_case.clear();
    OpCheckRow row;
    row.op = std::move(op);
    row.tolerance = tolerance;
    if (!m_stopped.empty()) row.failure = "not run: the device has stopped (" + m_stopped + ")";
    m_rows.push_back(std::move(row));
}

bool OpCheck::run(std::string what, const std::function<Status()>& work) {
    m_case = std::move(what);
    if (rowFailed()) return false;
    Status status = work();
    if (status == kSuccess) status = m_device.synchronise();
    if (status == kSuccess) return true;
    refused(status);
    return false;
}

void OpCheck::fail(const std::string& why) {
    std::string& failure = m_rows.back().failure;
    if (failure.empty()) failure = m_case.empty() ? why : why + " (" + m_case + ")";
}

void OpCheck::refused(Status status) {
    const std::string why = m_device.describe(status);
    if (m_stopped.empty() && m_device.isFatal(status)) m_stopped = m_rows.back().op + ": " + why;
    fail(why);
}

void* OpCheck::putBytes(const void* host, std::size_t bytes) {
    if (rowFailed()) return nullptr;
    GpuMemory& memory = m_memory.emplace_back(m_device, GpuMemory::Kind::Device, bytes);
    if (!memory.present()) {
        fail("the device refused " + formatBytes(bytes) + ", " + formatBytes(m_device.freeBytes()) +
             " free");
        return nullptr;
    }
    if (bytes == 0) return nullptr;
    Status status = m_device.upload(memory.data(), host, bytes);
    if (status == kSuccess) status = m_device.synchronise();
    if (status != kSuccess) refused(status);
    return memory.data();
}

void OpCheck::getBytes(void* host, const void* device, std::size_t bytes) {
    if (rowFailed() || bytes == 0) return;
    Status status = m_device.download(host, device, bytes);
    if (status == kSuccess) status = m_device.synchronise();
    if (status != kSuccess) refused(status);
}

kernels::ActsQ8 OpCheck::roomForActs(std::int64_t nTokens, std::int64_t nCols) {
    const auto n = static_cast<std::size_t>(nTokens * nCols);
    kernels::ActsQ8 acts;
    acts.q = room<std::int8_t>(n);
    acts.scale = room<float>(n / kernels::kActsBlock);
    acts.sum16 = room<std::int16_t>(n / 16);
    acts.nCols = nCols;
    return acts;
}

kernels::ActsQ8 OpCheck::putActs(const HostActs& acts) {
    return {put(acts.q), put(acts.scale), put(acts.sum16), acts.nCols};
}

void OpCheck::compare(const std::vector<float>& got, const std::vector<float>& wanted) {
    if (rowFailed()) return;
    double largest = 0.0;
    double off = 0.0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double difference = std::fabs(static_cast<double>(got[i]) - wanted[i]);
        if (std::isnan(difference)) return fail("not a number at " + std::to_string(i));
        largest = std::max(largest, std::fabs(static_cast<double>(wanted[i])));
        off = std::max(off, difference);
    }
    OpCheckRow& row = m_rows.back();
    ++row.cases;
    const double error = largest > 0.0 ? off / largest : off;
    if (error <= row.worst) return;
    row.worst = error;
    row.worstCase = m_case;
}

void OpCheck::compareActs(const kernels::ActsQ8& device, const HostActs& wanted) {
    compare(asFloats(get(device.q, wanted.q.size())), asFloats(wanted.q));
    compare(get(device.scale, wanted.scale.size()), wanted.scale);
    compare(asFloats(get(device.sum16, wanted.sum16.size())), asFloats(wanted.sum16));
}

void OpCheck::expectActs(const kernels::ActsQ8& device, const kernels::ActsQ8& rest,
                         const std::vector<float>& y) {
    const std::int64_t nTokens = std::ssize(y) / device.nCols;
    HostActs first(nTokens, device.nCols);
    HostActs second(nTokens, device.nCols);
    reference().quantiseActs({y.data(), first.view(), device.nCols, 0, nTokens, second.view()});
    compareActs(device, first);
    if (rest.q != nullptr) compareActs(rest, second);
}

std::vector<float> checkNumbers(std::int64_t n, std::uint32_t seed) {
    std::vector<float> all(static_cast<std::size_t>(n));
    for (float& x : all) {
        seed = seed * 1664525U + 1013904223U;
        x = static_cast<float>(seed >> 8) / 8388608.0F - 1.0F;
    }
    return all;
}

std::vector<std::uint8_t> checkWeights(DType type, std::int64_t nRows, std::int64_t nCols,
                                       std::uint32_t seed) {
    const std::vector<std::byte> random = randomBlocks(type, nRows * nCols, seed);
    std::vector<std::uint8_t> out(static_cast<std::size_t>(nRows * rowBytes(type, nCols)));
    std::memcpy(out.data(), random.data(), out.size());
    const ScaleField field = scaleField(type);
    const auto step = static_cast<std::size_t>(kernels::info(type).blockBytes);
    // Equal scales would hide one that is taken from another block.
    for (std::size_t block = 0; field.count > 0 && block < out.size() / step; ++block) {
        for (int i = 0; i < field.count; ++i) {
            std::uint8_t* at = out.data() + block * step + field.offset + 2 * i;
            kernels::HalfBits bits = 0;
            std::memcpy(&bits, at, sizeof bits);
            const float factor = 0.5F + static_cast<float>(mix(seed, block) % 16) / 16.0F;
            bits = kernels::f32ToHalf(kernels::halfToF32(bits) * factor);
            std::memcpy(at, &bits, sizeof bits);
        }
    }
    return out;
}

}  // namespace lanescope
