#pragma once
// Runs a kernel from its PTX text: one warp, straight-line code, all lanes one instruction at a
// time. Knows the instructions that the probes (probes.cuh) turn into and is written from the PTX
// ISA alone, so that it shares no mistake with the emulator. Throws std::runtime_error with the
// line it does not understand.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lanescope::kernels::cuda::test {

/// An instruction: "mma.sync.…" in parts, operands without blanks; {…} is one operand.
struct PtxInstruction {
    std::vector<std::string> op;
    std::vector<std::string> operands;
    std::string text;
};

struct PtxKernel {
    std::vector<PtxInstruction> code;
    std::map<std::string, std::uint64_t> shared;  ///< array to offset
    std::size_t sharedBytes = 0;
};

/// Kernels of a PTX file by name.
std::map<std::string, PtxKernel> parsePtx(const std::string& text);

class PtxWarp {
  public:
    explicit PtxWarp(const PtxKernel& kernel);
    /// Parameters are pointers; global memory is the test's own.
    void run(const std::vector<const void*>& params);

  private:
    using Value = std::array<std::uint64_t, 32>;
    static constexpr int kLanes = 32;

    void step(const PtxInstruction& instruction, const std::vector<const void*>& params);
    bool move(const PtxInstruction& in, const std::vector<const void*>& params);
    bool arithmetic(const PtxInstruction& in);
    bool memory(const PtxInstruction& in);
    bool collective(const PtxInstruction& in);
    void multiply(const PtxInstruction& in);
    void loadMatrices(const PtxInstruction& in);
    void copyAsync(const PtxInstruction& in);

    [[nodiscard]] Value value(const std::string& operand) const;
    /// Registers of "{%r1,%r2}" or of a single one.
    [[nodiscard]] static std::vector<std::string> list(const std::string& operand);
    /// Address of "[%r1+4]" in lane.
    [[nodiscard]] std::uint64_t address(const std::string& operand, int lane) const;
    unsigned char* at(const std::string& operand, int lane, bool shared);

    const PtxKernel& m_kernel;
    std::map<std::string, Value> m_registers;
    std::vector<unsigned char> m_shared;
};

}  // namespace lanescope::kernels::cuda::test
