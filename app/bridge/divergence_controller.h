#pragma once
// How far a model's predictions move when its KV cache is stored in another format, apart by how
// much came before: `perplexity --against-kv --depths` on a thread of its own, one format after the
// other. UI thread only. Read next: engine/decode/text_windows.h.

#include "app/bridge/background_job.h"
#include "engine/lane/plan.h"

namespace lanescope::app {

struct DivergenceSpec {
    LaneSpec lane = {};
    std::string reference = "fp16";    ///< format of the cache that is compared with
    std::vector<std::string> formats;  ///< kernels::kvFormatName
    std::vector<std::int64_t> depths;  ///< ascending, the last is the window's length
    std::int64_t windows = 2;          ///< at most
    std::string text, textName;
};

/// Positions [from, to) of all windows read so far.
struct DepthFigure {
    std::int64_t from = 0, to = 0, nTokens = 0;
    double perplexity = 0.0, perplexityError = 0.0;
    double kldMean = 0.0, kldMedian = 0.0, kldP99 = 0.0;  ///< nats
    double sameBest = 0.0;                                ///< 0 … 1
};

struct FormatDivergence {
    std::string format;
    std::vector<DepthFigure> depths;
    double bytesPerToken = 0.0;  ///< of K and V, all layers; 0: not known yet
    std::int64_t windowsDone = 0;
    bool finished = false;
    QString error;  ///< why this format could not be measured
};

struct DivergenceRun {
    DivergenceSpec spec = {};
    std::int64_t windows = 0;  ///< that the text gives, as many as were asked for
    std::vector<FormatDivergence> formats;
};

class DivergenceController : public BackgroundJob {
    Q_OBJECT
  public:
    using BackgroundJob::BackgroundJob;
    /// Precondition: not running().
    void start(const DivergenceSpec& spec);
    [[nodiscard]] const DivergenceRun& run() const { return m_run; }

  signals:
    void changed();

  protected:
    void ended() override { emit changed(); }

  private:
    static Result<void> work(const DivergenceSpec& spec, const CancelToken& cancel,
                             const Post& post, DivergenceController* self);
    void take(std::size_t index, const FormatDivergence& figures);

    DivergenceRun m_run;
};

}  // namespace lanescope::app
