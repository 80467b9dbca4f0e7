#include "app/bridge/model_library.h"

#include <QCoreApplication>
#include <QDirIterator>
#include <QFileInfo>
#include <QPointer>
#include <QRegularExpression>
#include <QSettings>
#include <algorithm>

#include "app/bridge/model_info.h"
#include "app/bridge/model_inspection.h"
#include "engine/lane/run.h"

namespace lanescope::app {

namespace {

const QString kFoldersKey = QStringLiteral("open/folders");
constexpr int kMaxFolders = 16;
constexpr int kMaxFound = 2000;
constexpr int kMaxEntries = 500'000;  ///< of one folder; a whole disk is not a model folder
constexpr int kProgressEvery = 200;

/// Parts 2 … N of a split model belong to part 1.
bool isLaterPart(const QString& fileName) {
    static const QRegularExpression pattern(QStringLiteral("-(\\d{5})-of-\\d{5}\\.gguf$"));
    const auto match = pattern.match(fileName);
    return match.hasMatch() && match.captured(1) != QLatin1String("00001");
}

/// A .gguf file, or the config.json that makes its folder a model; else empty.
QString modelOf(const QFileInfo& file) {
    if (file.fileName().endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive))
        return isLaterPart(file.fileName()) ? QString() : file.absoluteFilePath();
    if (file.fileName() != QLatin1String("config.json")) return {};
    const QDir folder = file.absoluteDir();
    return folder.entryList({QStringLiteral("*.safetensors")}, QDir::Files).isEmpty()
               ? QString()
               : folder.absolutePath();
}

}  // namespace

FoundModel describeModel(const QString& model) {
    FoundModel out;
    out.model = model;
    out.title = shortModelName(model.toStdString());
    const auto path = ModelStore::resolve(model.toStdString());
    if (!path) {
        out.error = QString::fromStdString(path.error().message);
        return out;
    }
    const auto checkpoint = Checkpoint::open(*path);
    if (!checkpoint) {
        out.error = QString::fromStdString(checkpoint.error().message);
        out.bytes = static_cast<std::uint64_t>(
            std::max<qint64>(0, QFileInfo(QString::fromStdString(*path)).size()));
        return out;
    }
    out.bytes = (*checkpoint)->fileBytes();
    out.architecture = architectureName(**checkpoint);
    const auto types = typeTotals(**checkpoint);
    if (!types.empty()) out.type = types.front().type;
    return out;
}

ModelLibrary::ModelLibrary(QObject* parent) : QObject(parent) {
    m_pool.setMaxThreadCount(2);
}

ModelLibrary::~ModelLibrary() {
    cancel();
    m_pool.clear();
}

QStringList ModelLibrary::folders() {
    return QSettings().value(kFoldersKey).toStringList();
}

void ModelLibrary::addFolder(const QString& folder) {
    QStringList list = folders();
    const QString path = QFileInfo(folder).absoluteFilePath();
    list.removeAll(path);
    list.prepend(path);
    QSettings().setValue(kFoldersKey, QStringList(list.mid(0, kMaxFolders)));
    scan();
}

void ModelLibrary::removeFolder(const QString& folder) {
    QStringList list = folders();
    list.removeAll(folder);
    QSettings().setValue(kFoldersKey, list);
    scan();
}

void ModelLibrary::cancel() {
    if (!m_cancel) return;
    m_cancel->store(true);
    m_cancel.reset();
    emit finished(true);
}

void ModelLibrary::scan() {
    cancel();
    m_found.clear();
    m_filesSeen = 0;
    m_scanned = true;
    const QStringList roots = folders();
    if (roots.isEmpty()) {
        emit changed();
        return;
    }
    m_cancel = std::make_shared<std::atomic<bool>>(false);
    emit changed();
    QPointer<ModelLibrary> self(this);
    m_pool.start([self, roots, cancel = m_cancel] {
        const auto post = [&](auto call) {
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [self, cancel, call] {
                    if (self && !cancel->load()) call(*self);
                },
                Qt::QueuedConnection);
        };
        int seen = 0;
        int found = 0;
        for (const QString& root : roots) {
            int entries = 0;
            // Folders behind symbolic links are left out: they may lead round in a circle. Links to
            // files count, since caches of downloaded models consist of them.
            QDirIterator it(root, {QStringLiteral("*.gguf"), QStringLiteral("config.json")},
                            QDir::Files | QDir::Readable, QDirIterator::Subdirectories);
            while (it.hasNext() && entries < kMaxEntries && found < kMaxFound) {
                if (cancel->load()) return;
                it.next();
                ++entries;
                ++seen;
                if (const QString model = modelOf(it.fileInfo()); !model.isEmpty()) {
                    const FoundModel described = describeModel(model);
                    ++found;
                    post([described](ModelLibrary& library) { library.addFound(described); });
                }
                if (seen % kProgressEvery == 0)
                    post([seen](ModelLibrary& library) {
                        library.m_filesSeen = seen;
                        emit library.changed();
                    });
            }
        }
        post([seen](ModelLibrary& library) {
            library.m_filesSeen = seen;
            library.m_cancel.reset();
            emit library.changed();
            emit library.finished(false);
        });
    });
}

void ModelLibrary::addFound(const FoundModel& model) {
    const bool twice = std::any_of(m_found.begin(), m_found.end(),
                                   [&](const FoundModel& m) { return m.model == model.model; });
    if (twice) return;  // one remembered folder inside another
    m_found.push_back(model);
    emit changed();
}

FoundModel ModelLibrary::described(const QString& model, const QString& title) {
    for (const FoundModel& known : m_described)
        if (known.model == model) return known;
    FoundModel waiting;
    waiting.model = model;
    waiting.title = title;
    m_described.push_back(waiting);
    QPointer<ModelLibrary> self(this);
    m_pool.start([self, model, title] {
        FoundModel now = describeModel(model);
        now.title = title;
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, now] {
                if (!self) return;
                for (FoundModel& known : self->m_described)
                    if (known.model == now.model) known = now;
                emit self->changed();
            },
            Qt::QueuedConnection);
    });
    return waiting;
}

std::vector<FoundModel> ModelLibrary::known() {
    std::vector<FoundModel> out;
    for (const auto& [name, path] : ModelStore::knownModels())
        if (!path.empty())
            out.push_back(described(QString::fromStdString(name), QString::fromStdString(name)));
    return out;
}

std::vector<FoundModel> ModelLibrary::recent() {
    std::vector<FoundModel> out;
    for (const QString& path : QSettings().value(QStringLiteral("recent/models")).toStringList())
        if (path.startsWith(QLatin1String("synthetic:")) || QFileInfo::exists(path))
            out.push_back(described(path, shortModelName(path.toStdString())));
    return out;
}

}  // namespace lanescope::app
