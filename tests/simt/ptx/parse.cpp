// From text to instructions.

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "tests/simt/ptx/interpreter.h"

namespace lanescope::kernels::cuda::test {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) out.push_back(part);
    return out;
}

PtxInstruction instruction(std::string line) {
    PtxInstruction out;
    out.text = line;
    line.erase(std::remove(line.begin(), line.end(), ';'), line.end());
    const std::size_t blank = std::min(line.find_first_of(" \t"), line.size());
    out.op = split(line.substr(0, blank), '.');
    std::string operand;
    int depth = 0;
    for (const char c : line.substr(blank)) {
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        if (c == ' ' || c == '\t') continue;
        if (c == ',' && depth == 0) {
            out.operands.push_back(operand);
            operand.clear();
        } else {
            operand += c;
        }
    }
    if (!operand.empty()) out.operands.push_back(operand);
    return out;
}

}  // namespace

std::map<std::string, PtxKernel> parsePtx(const std::string& text) {
    std::map<std::string, PtxKernel> out;
    PtxKernel* kernel = nullptr;
    bool inBody = false;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
        if (line.empty() || line.starts_with("//")) continue;
        if (const std::size_t entry = line.find(".entry "); entry != std::string::npos) {
            const std::string name = line.substr(entry + 7);
            kernel = &out[name.substr(0, name.find('('))];
        } else if (line == "{") {
            inBody = kernel != nullptr;
        } else if (line == "}") {
            inBody = false;
        } else if (inBody && line.starts_with(".shared ")) {
            // .shared .align 128 .b8 name[512];
            const std::size_t open = line.find('[');
            const std::size_t name = line.find_last_of(" \t", open) + 1;
            kernel->shared[line.substr(name, open - name)] = kernel->sharedBytes;
            kernel->sharedBytes += (std::stoul(line.substr(open + 1)) + 127) / 128 * 128;
        } else if (inBody && line.front() != '.') {
            if (line.front() == '@' || line.back() == ':')
                throw std::runtime_error("PTX with branches: " + line);
            kernel->code.push_back(instruction(line));
        }
    }
    return out;
}

}  // namespace lanescope::kernels::cuda::test
