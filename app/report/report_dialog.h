#pragma once
// Export of a run: formats, folder, result in place.

#include <QDialog>

#include "profiler/store/run_data.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lanescope::app {

class ReportDialog : public QDialog {
    Q_OBJECT
  public:
    explicit ReportDialog(profiler::RunSnapshot run, QWidget* parent = nullptr);

    void setFolder(const QString& folder);
    void setFormats(
        const QStringList& formats);  ///< of "html", "pdf", "csv", "json", "md", "trace"
    /// Writes the files; the outcome is shown in the dialog. True when everything was written.
    bool exportNow();
    [[nodiscard]] const QStringList& written() const { return m_written; }
    [[nodiscard]] QString message() const;

  private:
    profiler::RunSnapshot m_run;
    QLineEdit* m_folder;
    QList<QCheckBox*> m_boxes;
    QLabel* m_message;
    QPushButton* m_exportButton;
    QPushButton* m_openButton;
    QStringList m_written;
};

/// Opens the dialog (not blocking). run may still be in progress: what is there so far is exported.
void showExportDialog(profiler::RunSnapshot run, QWidget* parent);

}  // namespace lanescope::app
