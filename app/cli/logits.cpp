// `logits MODEL --tokens … --out F`: the model's raw output for every position, as a safetensors
// file, for comparing with other software.

#include <bit>
#include <cstring>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/lane_engine.h"
#include "engine/base/json.h"
#include "engine/base/mapped_file.h"

namespace lanescope::cli {

namespace {

static_assert(std::endian::native == std::endian::little, "safetensors data is little-endian");

/// One f32 tensor: 8 bytes of header length, the header padded to 8, the data.
std::string safetensors(const std::string& name, std::int64_t rows, std::int64_t cols,
                        const std::vector<float>& values) {
    const std::size_t nBytes = values.size() * sizeof(float);
    nlohmann::ordered_json entry;
    entry["dtype"] = "F32";
    entry["shape"] = {rows, cols};
    entry["data_offsets"] = {0, nBytes};
    nlohmann::ordered_json header;
    header["__metadata__"] = {{"format", "pt"}};
    header[name] = entry;
    std::string text = dumpJson(header);
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t length = text.size();
    std::string out(sizeof length + text.size() + nBytes, '\0');
    std::memcpy(out.data(), &length, sizeof length);
    std::memcpy(out.data() + sizeof length, text.data(), text.size());
    std::memcpy(out.data() + sizeof length + text.size(), values.data(), nBytes);
    return out;
}

}  // namespace

Result<int> runLogits(const LogitsArgs& args, const CancelToken& cancel) {
    ModelStore models;
    auto engine = openEngine(models, args.lane);
    if (!engine) return engine.error();
    if (auto ok = checkTokens(**engine, args.tokens); !ok) return ok.error();
    auto logits = (*engine)->logits(args.tokens, cancel);
    if (!logits) return logits.error();
    const auto rows = static_cast<std::int64_t>(args.tokens.size());
    const std::int64_t cols = static_cast<std::int64_t>(logits->size()) / rows;
    if (auto ok = writeFileAtomically(args.out, safetensors("logits", rows, cols, *logits)); !ok) {
        return ok.error();
    }
    if (args.output == OutputKind::Json) {
        if (auto ok = printJson({{"file", args.out}, {"shape", {rows, cols}}}); !ok) {
            return ok.error();
        }
    } else {
        note("wrote " + args.out + ": logits [" + std::to_string(rows) + ", " +
             std::to_string(cols) + "]");
    }
    return 0;
}

}  // namespace lanescope::cli
