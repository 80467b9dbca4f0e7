#pragma once
// Checkpoints on this machine: known names, recent files, and what a search through remembered
// folders finds. The search runs on a pool thread, reads only headers, and can be stopped.

#include <QObject>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <atomic>
#include <memory>
#include <vector>

namespace lanescope::app {

struct FoundModel {
    QString model;  ///< what opens it: a path or a known name
    QString title;  ///< short
    std::uint64_t bytes = 0;
    QString architecture;
    QString type;   ///< the tensor type that holds most bytes
    QString error;  ///< not empty: it cannot be read, and why
};

/// Size, architecture and type of one checkpoint. Blocking; any thread.
FoundModel describeModel(const QString& model);

class ModelLibrary : public QObject {
    Q_OBJECT
  public:
    explicit ModelLibrary(QObject* parent = nullptr);
    ~ModelLibrary() override;

    [[nodiscard]] static QStringList folders();
    void addFolder(const QString& folder);  ///< remembered, and searched at once
    void removeFolder(const QString& folder);

    /// Searches all remembered folders anew; a search in progress is stopped first.
    void scan();
    void cancel();
    [[nodiscard]] bool scanning() const { return m_cancel != nullptr; }
    [[nodiscard]] bool scanned() const { return m_scanned; }
    [[nodiscard]] int filesSeen() const { return m_filesSeen; }
    [[nodiscard]] const std::vector<FoundModel>& found() const { return m_found; }

    /// Known names that are there, then recent files that still exist; described in the background:
    /// changed() follows when figures arrive.
    [[nodiscard]] std::vector<FoundModel> known();
    [[nodiscard]] std::vector<FoundModel> recent();

  signals:
    void changed();                 ///< a list or a figure is new
    void finished(bool cancelled);  ///< of a search

  private:
    FoundModel described(const QString& model, const QString& title);
    void addFound(const FoundModel& model);

    std::vector<FoundModel> m_found;
    std::vector<FoundModel> m_described;  ///< of known and recent ones
    std::shared_ptr<std::atomic<bool>> m_cancel;
    QThreadPool m_pool;  ///< its own: a slow disk must not hold up anything else
    bool m_scanned = false;
    int m_filesSeen = 0;
};

}  // namespace lanescope::app
