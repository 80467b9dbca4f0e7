#include "app/bridge/model_info.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>

#include "app/bridge/model_inspection.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/lane/run.h"

namespace lanescope::app {

std::shared_ptr<const ModelInfo> ModelInfoCache::info(const std::string& model) {
    const QString key = QString::fromStdString(model);
    const auto found = m_infos.constFind(key);
    if (found != m_infos.constEnd()) return *found;
    auto reading = std::make_shared<const ModelInfo>();
    m_infos.insert(key, reading);
    QPointer<ModelInfoCache> self(this);
    QThreadPool::globalInstance()->start([self, key, model] {
        auto info = std::make_shared<const ModelInfo>(readModelInfo(model));
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, key, info] {
                if (!self) return;
                self->m_infos.insert(key, info);
                emit self->changed(key);
            },
            Qt::QueuedConnection);
    });
    return reading;
}

void ModelInfoCache::forget(const std::string& model) {
    m_infos.remove(QString::fromStdString(model));
}

ModelInfo readModelInfo(const std::string& model) {
    ModelInfo info;
    const auto fail = [&info](const Error& error) {
        info.state = ModelInfo::State::Failed;
        info.error = error;
        return info;
    };
    const auto path = ModelStore::resolve(model);
    if (!path) return fail(path.error());
    info.path = QString::fromStdString(*path);
    const auto checkpoint = Checkpoint::open(*path);
    if (!checkpoint) return fail(checkpoint.error());
    auto spec = buildSpec(**checkpoint);
    if (!spec) return fail(spec.error());
    info.spec = std::move(*spec);
    const auto types = typeTotals(**checkpoint);
    info.weights = weightBytes(**checkpoint);
    if (!types.empty()) info.mainType = types.front().type;
    info.state = ModelInfo::State::Ready;
    return info;
}

Result<MemoryEstimate> estimateLane(const LaneSpec& lane, const ModelInfo& info) {
    if (info.state == ModelInfo::State::Failed) return info.error;
    auto settings = engineSettings(lane);
    if (!settings) return settings.error();
    return estimateMemory(info.spec, info.weights, *settings);
}

QString shortModelName(const std::string& model) {
    const QString name = QString::fromStdString(model);
    if (!name.contains(QLatin1Char('/')))
        return name.endsWith(QLatin1String(".gguf")) ? name.chopped(5) : name;
    const QFileInfo file(name);
    const QString base = file.fileName();
    return base.endsWith(QLatin1String(".gguf")) ? base.chopped(5) : base;
}

}  // namespace lanescope::app
