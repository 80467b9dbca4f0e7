// `convert MODEL --out F.gguf`: a lossless copy of a GGUF as one file (so also a way to join the
// parts of a split model), or a Hugging Face folder as GGUF.

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "engine/base/clock.h"
#include "engine/base/format.h"
#include "engine/checkpoint/gguf_writer.h"
#include "engine/convert/hf_to_gguf.h"
#include "engine/lane/run.h"

namespace lanescope::cli {

namespace {

/// A line on stderr at every tenth of a file that takes a while.
class ProgressNotes {
  public:
    void operator()(std::uint64_t done, std::uint64_t total) {
        const std::uint64_t tenth = total > 0 ? done * 10 / total : 10;
        constexpr std::uint64_t kQuick = std::uint64_t{64} << 20;
        if (tenth == m_tenth || total < kQuick) return;
        m_tenth = tenth;
        note("written " + formatBytes(done) + " of " + formatBytes(total));
    }

  private:
    std::uint64_t m_tenth = 0;
};

Result<GgufWriter> writerFor(const Checkpoint& checkpoint, const std::string& type) {
    if (checkpoint.format() == CheckpointFormat::Gguf) {
        if (!type.empty())
            return usageError("--type is for Hugging Face folders; a GGUF is copied as it is");
        GgufWriter writer;
        writer.copyMetadata(checkpoint.metadata());
        writer.copyTensors(checkpoint);
        return writer;
    }
    if (checkpoint.synthetic())
        return unsupported("is made up; there is nothing to convert", checkpoint.path());
    if (type.empty()) return ggufFromHuggingFace(checkpoint, std::nullopt);
    return ggufFromHuggingFace(checkpoint, type == "f32"   ? kernels::DType::F32
                                           : type == "f16" ? kernels::DType::F16
                                                           : kernels::DType::BF16);
}

}  // namespace

Result<int> runConvert(const ConvertArgs& args, const CancelToken& cancel) {
    auto path = ModelStore::resolve(args.model);
    if (!path) return path.error();
    std::error_code ec;
    if (std::filesystem::equivalent(*path, args.out, ec))
        return usageError("--out is the model itself: " + args.out, "choose another name");
    auto checkpoint = Checkpoint::open(*path);
    if (!checkpoint) return checkpoint.error();
    auto made = writerFor(**checkpoint, args.type);
    if (!made) return made.error();
    const GgufWriter& writer = *made;
    const std::int64_t start = nowNs();
    GgufWriter::Options options;
    options.progress = ProgressNotes();
    options.cancel = &cancel;
    if (auto written = writer.write(args.out, options); !written) return written.error();
    if (auto same = (*checkpoint)->checkUnchanged(); !same) return same.error();
    const double seconds = static_cast<double>(nowNs() - start) / 1e9;
    const std::uint64_t bytes = writer.fileBytes();
    if (args.output == OutputKind::Json) {
        nlohmann::ordered_json out;
        out["out"] = args.out;
        out["fileBytes"] = bytes;
        out["tensors"] = (*checkpoint)->tensors().size();
        out["seconds"] = seconds;
        if (auto printed = printJson(out); !printed) return printed.error();
        return 0;
    }
    auto printed = print(args.out + ": " + formatBytes(bytes) + ", " +
                         std::to_string((*checkpoint)->tensors().size()) + " tensors, " +
                         formatNumber(seconds, 2) + " s\n");
    if (!printed) return printed.error();
    return 0;
}

}  // namespace lanescope::cli
