// Instructions of the PTX machine in which the lanes of a warp meet, and asynchronous copies (done
// at once: the machine may do them at any time up to the wait).

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "kernels/types/float16.h"
#include "tests/simt/ptx/interpreter.h"

namespace lanescope::kernels::cuda::test {

bool PtxWarp::collective(const PtxInstruction& in) {
    const std::string& name = in.op[0];
    if (name == "bar") return true;
    if (name == "mma") {
        multiply(in);
        return true;
    }
    if (name == "ldmatrix") {
        loadMatrices(in);
        return true;
    }
    if (name == "cp") {
        if (in.op[2] != "commit_group" && in.op[2] != "wait_group") copyAsync(in);
        return true;
    }
    if (name != "shfl" && name != "vote" && name != "match" && name != "redux") return false;

    // The destination may be a pair, %r1|%p2.
    const std::string target = in.operands[0].substr(0, in.operands[0].find('|'));
    const Value a = value(in.operands[1]);
    Value out{};
    if (name == "shfl") {
        const Value b = value(in.operands[2]);
        const Value c = value(in.operands[3]);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const auto self = static_cast<int>(lane);
            const int operand = static_cast<int>(b[lane] & 31);
            const int clamp = static_cast<int>(c[lane] & 31);
            const int segment = static_cast<int>(c[lane] >> 8 & 31);
            const int maxLane = (self & segment) | (clamp & ~segment);
            const int minLane = self & segment;
            int j = 0;
            bool inside = false;
            if (in.op[2] == "up") {
                j = self - operand;
                inside = j >= maxLane;
            } else if (in.op[2] == "down") {
                j = self + operand;
                inside = j <= maxLane;
            } else if (in.op[2] == "bfly") {
                j = self ^ operand;
                inside = j <= maxLane;
            } else {
                j = minLane | (operand & ~segment);
                inside = j <= maxLane;
            }
            out[lane] = a[static_cast<std::size_t>(inside ? j : self)];
        }
    } else if (name == "vote") {
        std::uint64_t ballot = 0;
        for (std::size_t lane = 0; lane < kLanes; ++lane) ballot |= (a[lane] & 1) << lane;
        out.fill(in.op[2] == "ballot" ? ballot
                 : in.op[2] == "any"  ? ballot != 0
                                      : ballot == 0xFFFFFFFFU);
    } else if (name == "match") {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            std::uint64_t same = 0;
            for (std::size_t other = 0; other < kLanes; ++other)
                if (a[other] == a[lane]) same |= std::uint64_t{1} << other;
            out[lane] = in.op[1] == "any" || same == 0xFFFFFFFFU ? same : 0;
        }
    } else {
        const bool isSigned = in.op.back() == "s32";
        const auto less = [isSigned](std::uint64_t x, std::uint64_t y) {
            return isSigned ? static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y) : x < y;
        };
        std::uint64_t all = a[0];
        for (std::size_t lane = 1; lane < kLanes; ++lane) {
            const std::uint64_t x = a[lane];
            const std::string& how = in.op[2];
            if (how == "add") all += x;
            if (how == "min" && less(x, all)) all = x;
            if (how == "max" && less(all, x)) all = x;
            if (how == "and") all &= x;
            if (how == "or") all |= x;
            if (how == "xor") all ^= x;
        }
        out.fill(all & 0xFFFFFFFFU);
    }
    m_registers[target] = out;
    return true;
}

void PtxWarp::multiply(const PtxInstruction& in) {
    // mma.sync.aligned.m16n8kK.row.col.D.A.B.C; fragments by the formulas of the PTX ISA.
    const bool bytes = in.op[7] == "s8";
    const bool bf16 = in.op[7] == "bf16";
    const int depth = bytes ? 32 : 16;
    const int perWord = bytes ? 4 : 2;
    const auto element = [&](std::uint64_t word, int i) -> double {
        if (bytes) return static_cast<std::int8_t>(word >> (8 * i));
        const auto half = static_cast<std::uint16_t>(word >> (16 * i));
        return bf16 ? bf16ToF32(half) : halfToF32(half);
    };
    const auto registers = [&](std::size_t operand) {
        std::vector<Value> out;
        for (const std::string& r : list(in.operands[operand])) out.push_back(value(r));
        return out;
    };
    const std::vector<Value> a = registers(1);
    const std::vector<Value> b = registers(2);
    std::vector<Value> c = registers(3);
    std::vector<double> matrixA(static_cast<std::size_t>(16 * depth));
    std::vector<double> matrixB(static_cast<std::size_t>(depth * 8));
    for (int lane = 0; lane < kLanes; ++lane) {
        const int group = lane >> 2;
        const int inGroup = lane % 4;
        // a_i and b_i, i counting elements: row and column as the ISA gives them.
        for (int i = 0; i < 4 * perWord; ++i) {
            const int word = i / perWord;
            const int row = word == 0 || word == 2 ? group : group + 8;
            const int column = inGroup * perWord + i % perWord + (word >= 2 ? depth / 2 : 0);
            matrixA[static_cast<std::size_t>(row * depth + column)] = element(
                a[static_cast<std::size_t>(word)][static_cast<std::size_t>(lane)], i % perWord);
        }
        for (int i = 0; i < 2 * perWord; ++i) {
            const int word = i / perWord;
            const int row = inGroup * perWord + i % perWord + (word == 1 ? depth / 2 : 0);
            matrixB[static_cast<std::size_t>(row * 8 + group)] = element(
                b[static_cast<std::size_t>(word)][static_cast<std::size_t>(lane)], i % perWord);
        }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t row = i < 2 ? lane / 4 : lane / 4 + 8;
            const std::size_t column = lane % 4 * 2 + i % 2;
            const auto bits = static_cast<std::uint32_t>(c[i][lane]);
            double sum = bytes ? static_cast<double>(static_cast<std::int32_t>(bits))
                               : static_cast<double>(std::bit_cast<float>(bits));
            for (std::size_t k = 0; k < static_cast<std::size_t>(depth); ++k)
                sum += matrixA[row * static_cast<std::size_t>(depth) + k] * matrixB[k * 8 + column];
            c[i][lane] = bytes ? static_cast<std::uint32_t>(static_cast<std::int64_t>(sum))
                               : std::bit_cast<std::uint32_t>(static_cast<float>(sum));
        }
    }
    const std::vector<std::string> d = list(in.operands[0]);
    for (std::size_t i = 0; i < 4; ++i) m_registers[d[i]] = c[i];
}

void PtxWarp::loadMatrices(const PtxInstruction& in) {
    const std::vector<std::string> out = list(in.operands[0]);
    const bool transposed = std::find(in.op.begin(), in.op.end(), "trans") != in.op.end();
    for (std::size_t matrix = 0; matrix < out.size(); ++matrix) {
        std::uint16_t rows[8][8];
        for (int row = 0; row < 8; ++row) {
            const int lane = 8 * static_cast<int>(matrix) + row;
            const std::uint64_t where = address(in.operands[1], lane);
            if (where % 16 != 0 || where + 16 > m_shared.size())
                throw std::runtime_error("bad matrix row: " + in.text);
            std::memcpy(rows[row], &m_shared[where], 16);
        }
        Value& target = m_registers[out[matrix]];
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const std::size_t r = lane / 4;
            const std::size_t c = lane % 4 * 2;
            const std::uint16_t first = transposed ? rows[c][r] : rows[r][c];
            const std::uint16_t second = transposed ? rows[c + 1][r] : rows[r][c + 1];
            target[lane] = first | static_cast<std::uint64_t>(second) << 16;
        }
    }
}

void PtxWarp::copyAsync(const PtxInstruction& in) {
    // cp.async.{ca,cg}.shared.global [to], [from], bytes, sourceBytes
    const auto bytes = std::stoul(in.operands[2]);
    const Value sourceBytes = value(in.operands[3]);
    if (in.op[2] == "cg" && bytes != 16) throw std::runtime_error("cg copies 16: " + in.text);
    for (int lane = 0; lane < kLanes; ++lane) {
        unsigned char* to = at(in.operands[0], lane, true);
        const unsigned char* from = at(in.operands[1], lane, false);
        for (std::size_t i = 0; i < bytes; ++i)
            to[i] = i < sourceBytes[static_cast<std::size_t>(lane)] ? from[i] : 0;
    }
}

}  // namespace lanescope::kernels::cuda::test
