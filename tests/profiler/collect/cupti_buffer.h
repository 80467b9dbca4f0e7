#pragma once
// Buffers of activity records, put together by hand as CUPTI lays them out.

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "profiler/collect/cupti_abi.h"

namespace lanescope::profiler::test {

class CuptiBuffer {
  public:
    template <class Record>
    CuptiBuffer& add(const Record& record) {
        const std::size_t words = sizeof(Record) / 8;
        const std::size_t at = m_words.size();
        m_words.resize(at + words);
        std::memcpy(&m_words[at], &record, sizeof record);
        return *this;
    }
    /// A record of any kind with nothing in it.
    CuptiBuffer& addEmpty(std::uint32_t kind, std::size_t bytes) {
        const std::size_t at = m_words.size();
        m_words.resize(at + bytes / 8);
        std::memcpy(&m_words[at], &kind, sizeof kind);
        return *this;
    }
    [[nodiscard]] std::span<const std::uint8_t> bytes() const {
        return {reinterpret_cast<const std::uint8_t*>(m_words.data()), m_words.size() * 8};
    }
    [[nodiscard]] std::span<const std::uint8_t> first(std::size_t n) const {
        return bytes().first(n);
    }

  private:
    std::vector<std::uint64_t> m_words;
};

inline cupti::KernelRecord kernelRecord(std::uint64_t start, std::uint64_t end,
                                        std::uint32_t correlation,
                                        const char* name = "_Z10gemmKernelIfEvPT_") {
    cupti::KernelRecord r{};
    r.kind = static_cast<std::uint32_t>(cupti::Kind::ConcurrentKernel);
    r.start = start;
    r.end = end;
    r.correlation = correlation;
    r.device = 0;
    r.context = 1;
    r.stream = 7;
    r.grid[0] = 132;
    r.grid[1] = r.grid[2] = 1;
    r.block[0] = 256;
    r.block[1] = r.block[2] = 1;
    r.registersPerThread = 64;
    r.staticShared = 1024;
    r.dynamicShared = 32768;
    r.name = name;
    return r;
}

inline cupti::MemcpyRecord memcpyRecord(std::uint64_t start, std::uint64_t end,
                                        std::uint32_t correlation, std::uint8_t copyKind = 1) {
    cupti::MemcpyRecord r{};
    r.kind = static_cast<std::uint32_t>(cupti::Kind::Memcpy);
    r.copyKind = copyKind;
    r.bytes = 4096;
    r.start = start;
    r.end = end;
    r.correlation = correlation;
    r.context = 1;
    r.stream = 9;
    return r;
}

inline cupti::ExternalCorrelationRecord externalRecord(
    std::uint32_t correlation, std::uint64_t externalId,
    std::uint32_t externalKind = cupti::kCustomCorrelation) {
    cupti::ExternalCorrelationRecord r{};
    r.kind = static_cast<std::uint32_t>(cupti::Kind::ExternalCorrelation);
    r.externalKind = externalKind;
    r.externalId = externalId;
    r.correlation = correlation;
    return r;
}

inline cupti::OverheadRecord overheadRecord(std::uint64_t start, std::uint64_t end) {
    cupti::OverheadRecord r{};
    r.kind = static_cast<std::uint32_t>(cupti::Kind::Overhead);
    r.overheadKind = 1U << 16;
    r.start = start;
    r.end = end;
    return r;
}

/// As an H100 describes itself.
inline cupti::DeviceRecord deviceRecord() {
    cupti::DeviceRecord r{};
    r.kind = static_cast<std::uint32_t>(cupti::Kind::Device);
    r.memoryBytes = 85'000'000'000;
    r.nSms = 132;
    r.maxWarpsPerSm = 64;
    r.maxBlocksPerSm = 32;
    r.maxRegistersPerSm = 65536;
    r.maxSharedPerSm = 233472;
    r.computeMajor = 9;
    r.name = "NVIDIA H100";
    r.uuid[0] = 0xab;
    return r;
}

}  // namespace lanescope::profiler::test
