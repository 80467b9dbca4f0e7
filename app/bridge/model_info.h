#pragma once
// What is known about a checkpoint without loading it for a run: its shape and size, read on a pool
// thread and kept. Feeds the memory estimates of cards and dialog.

#include <QHash>
#include <QObject>
#include <QString>
#include <memory>

#include "engine/base/result.h"
#include "engine/decode/engine.h"
#include "engine/lane/plan.h"
#include "engine/model/spec.h"

namespace lanescope::app {

struct ModelInfo {
    enum class State : std::uint8_t { Reading, Ready, Failed } state = State::Reading;
    QString path;
    ModelSpec spec;
    WeightBytes weights;
    QString mainType;  ///< the tensor type that holds most bytes: "q4_1"
    Error error;
};

class ModelInfoCache : public QObject {
    Q_OBJECT
  public:
    using QObject::QObject;

    /// The newest knowledge; starts reading at the first call for a model. Never null.
    std::shared_ptr<const ModelInfo> info(const std::string& model);
    /// Reads again at the next call, e.g. after a file was replaced.
    void forget(const std::string& model);

  signals:
    void changed(const QString& model);

  private:
    QHash<QString, std::shared_ptr<const ModelInfo>> m_infos;
};

/// Reads a checkpoint's description. Blocking (file system); any thread.
ModelInfo readModelInfo(const std::string& model);
/// Closed-form need of a lane; error: the option that is not possible, or the model's own error.
Result<MemoryEstimate> estimateLane(const LaneSpec& lane, const ModelInfo& info);

/// A file name or known name, short enough for a card: "SmolLM2-135M-Instruct.Q4_1".
QString shortModelName(const std::string& model);

}  // namespace lanescope::app
