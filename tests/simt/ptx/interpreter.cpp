// Moves, arithmetic and memory of the PTX machine. Instructions in which lanes meet:
// collectives.cpp.

#include "tests/simt/ptx/interpreter.h"

#include <bit>
#include <cstring>
#include <stdexcept>

namespace lanescope::kernels::cuda::test {
namespace {

std::uint64_t low32(std::uint64_t x) {
    return x & 0xFFFFFFFFU;
}

std::int64_t signed32(std::uint64_t x) {
    return static_cast<std::int32_t>(x);
}

std::uint64_t dot(std::uint64_t a, std::uint64_t b, std::uint64_t sum, bool signedA, bool signedB) {
    for (int i = 0; i < 4; ++i) {
        const std::uint64_t byteA = a >> (8 * i) & 255;
        const std::uint64_t byteB = b >> (8 * i) & 255;
        sum += (signedA && byteA >= 128 ? byteA - 256 : byteA) *
               (signedB && byteB >= 128 ? byteB - 256 : byteB);
    }
    return low32(sum);
}

/// prmt without a mode.
std::uint64_t permuted(std::uint64_t a, std::uint64_t b, std::uint64_t selector) {
    const std::uint64_t all = low32(a) | b << 32;
    std::uint64_t out = 0;
    for (int i = 0; i < 4; ++i) {
        const std::uint64_t choice = selector >> (4 * i) & 15;
        std::uint64_t byte = all >> (8 * (choice & 7)) & 255;
        if ((choice & 8) != 0) byte = byte >= 128 ? 255 : 0;
        out |= byte << (8 * i);
    }
    return out;
}

std::size_t sizeOf(const std::string& type) {
    return std::stoul(type.substr(1)) / 8;
}

}  // namespace

PtxWarp::PtxWarp(const PtxKernel& kernel) : m_kernel(kernel), m_shared(kernel.sharedBytes, 0xFF) {}

void PtxWarp::run(const std::vector<const void*>& params) {
    for (const PtxInstruction& instruction : m_kernel.code) step(instruction, params);
}

void PtxWarp::step(const PtxInstruction& in, const std::vector<const void*>& params) {
    if (move(in, params) || memory(in) || collective(in) || arithmetic(in)) return;
    throw std::runtime_error("PTX not understood: " + in.text);
}

PtxWarp::Value PtxWarp::value(const std::string& operand) const {
    Value out{};
    if (operand == "%tid.x") {
        for (std::uint64_t lane = 0; lane < kLanes; ++lane) out[lane] = lane;
    } else if (operand.front() == '%') {
        const auto found = m_registers.find(operand);
        if (found == m_registers.end()) throw std::runtime_error("never written: " + operand);
        out = found->second;
    } else if (const auto symbol = m_kernel.shared.find(operand); symbol != m_kernel.shared.end()) {
        out.fill(symbol->second);
    } else {
        out.fill(static_cast<std::uint64_t>(std::stoll(operand, nullptr, 0)));
    }
    return out;
}

std::vector<std::string> PtxWarp::list(const std::string& operand) {
    std::vector<std::string> out;
    std::string name;
    for (const char c : operand) {
        if (c == ',' || c == '}') {
            out.push_back(name);
            name.clear();
        } else if (c != '{') {
            name += c;
        }
    }
    if (!name.empty()) out.push_back(name);
    return out;
}

std::uint64_t PtxWarp::address(const std::string& operand, int lane) const {
    const std::string inside = operand.substr(1, operand.size() - 2);
    const std::size_t plus = std::min(inside.find('+'), inside.size());
    const std::uint64_t base = value(inside.substr(0, plus))[static_cast<std::size_t>(lane)];
    return base + (plus < inside.size() ? std::stoull(inside.substr(plus + 1)) : 0);
}

unsigned char* PtxWarp::at(const std::string& operand, int lane, bool shared) {
    const std::uint64_t where = address(operand, lane);
    if (shared) return &m_shared.at(where);
    return reinterpret_cast<unsigned char*>(where);  // NOLINT(performance-no-int-to-ptr)
}

bool PtxWarp::move(const PtxInstruction& in, const std::vector<const void*>& params) {
    const std::string& name = in.op[0];
    if (name == "ret") return true;
    if (name == "ld" && in.op[1] == "param") {
        const std::size_t index = std::stoul(in.operands[1].substr(in.operands[1].rfind('_') + 1));
        m_registers[in.operands[0]].fill(reinterpret_cast<std::uintptr_t>(params.at(index)));
        return true;
    }
    if (name == "mov" || name == "cvta") {
        m_registers[in.operands[0]] = value(in.operands[1]);
        return true;
    }
    return false;
}

bool PtxWarp::memory(const PtxInstruction& in) {
    const bool load = in.op[0] == "ld";
    if (!load && in.op[0] != "st") return false;
    const bool shared = in.op[1] == "shared";
    const std::size_t bytes = sizeOf(in.op.back());
    const std::vector<std::string> registers = list(in.operands[load ? 0 : 1]);
    const std::string& where = in.operands[load ? 1 : 0];
    std::vector<Value> values;
    for (const std::string& r : registers) values.push_back(load ? Value{} : value(r));
    for (int lane = 0; lane < kLanes; ++lane) {
        unsigned char* memory = at(where, lane, shared);
        for (std::size_t i = 0; i < registers.size(); ++i) {
            std::uint64_t& word = values[i][static_cast<std::size_t>(lane)];
            if (load)
                std::memcpy(&word, memory + i * bytes, bytes);
            else
                std::memcpy(memory + i * bytes, &word, bytes);
        }
    }
    if (load)
        for (std::size_t i = 0; i < registers.size(); ++i) m_registers[registers[i]] = values[i];
    return true;
}

bool PtxWarp::arithmetic(const PtxInstruction& in) {
    const std::string& name = in.op[0];
    const std::string& type = in.op.back();
    const bool wide = name == "mul" && in.op[1] == "wide";
    const bool is64 = type == "s64" || type == "u64" || type == "b64";
    const bool isSigned = type.front() == 's';
    std::vector<Value> args;
    for (std::size_t i = 1; i < in.operands.size(); ++i) args.push_back(value(in.operands[i]));
    Value out{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t a = args[0][lane];
        const std::uint64_t b = args.size() > 1 ? args[1][lane] : 0;
        const std::uint64_t c = args.size() > 2 ? args[2][lane] : 0;
        const auto product = static_cast<std::uint64_t>(signed32(a) * signed32(b));
        const std::uint64_t unsignedProduct = low32(a) * low32(b);
        const std::uint64_t pair = low32(a) | b << 32;
        std::uint64_t x = 0;
        if (name == "add")
            x = a + b;
        else if (name == "sub")
            x = a - b;
        else if (name == "mul" && wide)
            x = isSigned ? product : unsignedProduct;
        else if (name == "mul" && in.op[1] == "hi")
            x = (isSigned ? product : unsignedProduct) >> 32;
        else if (name == "mul" || name == "mad")
            x = a * b + c;
        else if (name == "shl")
            x = a << b;
        else if (name == "shr")
            x = isSigned ? static_cast<std::uint64_t>(signed32(a) >> std::min<std::uint64_t>(b, 31))
                : b > 31 ? 0
                         : low32(a) >> b;
        else if (name == "and")
            x = a & b;
        else if (name == "or")
            x = a | b;
        else if (name == "xor")
            x = a ^ b;
        else if (name == "selp")
            x = c != 0 ? a : b;
        else if (name == "setp" && in.op[1] == "eq")
            x = low32(a) == low32(b) ? 1 : 0;
        else if (name == "setp" && in.op[1] == "ne")
            x = low32(a) != low32(b) ? 1 : 0;
        else if (name == "popc")
            x = static_cast<std::uint64_t>(std::popcount(low32(a)));
        else if (name == "clz")
            x = static_cast<std::uint64_t>(std::countl_zero(static_cast<std::uint32_t>(a)));
        else if (name == "brev")
            for (int i = 0; i < 32; ++i) x |= (a >> i & 1) << (31 - i);
        else if (name == "prmt")
            x = permuted(a, b, c);
        else if (name == "dp4a")
            x = dot(a, b, c, in.op[1] == "s32", in.op[2] == "s32");
        else if (name == "shf" && in.op[2] == "wrap")
            x = in.op[1] == "l" ? pair << (c & 31) >> 32 : pair >> (c & 31);
        else
            return false;
        out[lane] = is64 || wide ? x : low32(x);
    }
    m_registers[in.operands[0]] = out;
    return true;
}

}  // namespace lanescope::kernels::cuda::test
