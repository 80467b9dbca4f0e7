#include "app/report/report_dialog.h"

#include <QCheckBox>
#include <QDesktopServices>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include "app/report/pdf_report.h"
#include "app/theme/theme.h"
#include "profiler/export/export.h"

namespace lanescope::app {

namespace {
constexpr auto kFolderKey = "export/folder";
constexpr auto kFormatsKey = "export/formats";
}  // namespace

ReportDialog::ReportDialog(profiler::RunSnapshot run, QWidget* parent)
    : QDialog(parent), m_run(std::move(run)), m_folder(new QLineEdit), m_message(new QLabel) {
    setWindowTitle(tr("Export report"));
    const QSettings settings;
    auto* layout = new QVBoxLayout(this);
    auto* title = new QLabel(tr("Run “%1”").arg(QString::fromStdString(m_run->header.name)));
    title->setFont(uiFont(1, true));
    title->setTextFormat(Qt::PlainText);
    layout->addWidget(title);

    const struct {
        const char* key;
        QString label, tip;
    } formats[] = {
        {"html", tr("HTML report"), tr("One file with charts; opens without network")},
        {"pdf", tr("PDF report"), tr("The same on A4 pages")},
        {"csv", tr("CSV"), tr("One row a token, and one row a lane")},
        {"json", tr("JSON"), tr("Everything, with a schema version")},
        {"md", tr("Markdown"), tr("The summary table, for pasting")},
        {"trace", tr("Trace"), tr("Spans for Perfetto or chrome://tracing")},
    };
    auto* grid = new QGridLayout;
    const QStringList chosen =
        settings.value(kFormatsKey, QStringList{QStringLiteral("html"), QStringLiteral("md")})
            .toStringList();
    int i = 0;
    for (const auto& format : formats) {
        auto* box = new QCheckBox(format.label);
        box->setObjectName(QString::fromLatin1(format.key));
        box->setToolTip(format.tip);
        box->setChecked(chosen.contains(box->objectName()));
        grid->addWidget(box, i / 3, i % 3);
        m_boxes << box;
        ++i;
    }
    layout->addLayout(grid);

    auto* row = new QHBoxLayout;
    auto* label = new QLabel(tr("Folder"));
    label->setBuddy(m_folder);
    m_folder->setText(
        settings
            .value(kFolderKey, QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation) +
                                   QStringLiteral("/lanescope"))
            .toString());
    m_folder->setMinimumWidth(320);
    auto* browse = new QPushButton(tr("Browse…"));
    row->addWidget(label);
    row->addWidget(m_folder, 1);
    row->addWidget(browse);
    layout->addLayout(row);
    m_message->setWordWrap(true);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(m_message);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    m_exportButton = buttons->addButton(tr("Export"), QDialogButtonBox::ActionRole);
    m_openButton = buttons->addButton(tr("Open folder"), QDialogButtonBox::ActionRole);
    m_openButton->setEnabled(false);
    m_exportButton->setDefault(true);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_exportButton, &QPushButton::clicked, this, &ReportDialog::exportNow);
    connect(m_openButton, &QPushButton::clicked, this,
            [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(m_folder->text())); });
    connect(browse, &QPushButton::clicked, this, [this] {
        const QString folder =
            QFileDialog::getExistingDirectory(this, tr("Folder for the report"), m_folder->text());
        if (!folder.isEmpty()) m_folder->setText(folder);
    });
}

void ReportDialog::setFolder(const QString& folder) {
    m_folder->setText(folder);
}

void ReportDialog::setFormats(const QStringList& formats) {
    for (QCheckBox* box : m_boxes) box->setChecked(formats.contains(box->objectName()));
}

QString ReportDialog::message() const {
    return m_message->text();
}

bool ReportDialog::exportNow() {
    m_written.clear();
    QStringList keys;
    for (const QCheckBox* box : m_boxes) {
        if (box->isChecked()) keys << box->objectName();
    }
    const auto fail = [this](const QString& text) {
        QPalette palette = m_message->palette();
        palette.setColor(QPalette::WindowText, themeColors().bad);
        m_message->setPalette(palette);
        m_message->setText(text);
        return false;
    };
    if (keys.isEmpty()) return fail(tr("Choose at least one format."));
    const QString folder = m_folder->text().trimmed();
    if (folder.isEmpty()) return fail(tr("Choose a folder."));
    QStringList plainKeys = keys;
    const bool pdf = plainKeys.removeAll(QStringLiteral("pdf")) > 0;
    if (!plainKeys.isEmpty()) {
        auto formats = profiler::parseFormats(plainKeys.join(QLatin1Char(',')).toStdString());
        if (!formats) return fail(QString::fromStdString(formats.error().toString()));
        auto paths = profiler::writeReports(*m_run, folder.toStdString(), *formats);
        if (!paths) return fail(QString::fromStdString(paths.error().toString()));
        for (const auto& path : *paths) m_written << QString::fromStdString(path);
    }
    if (pdf) {
        if (!QDir().mkpath(folder)) return fail(tr("The folder %1 cannot be made.").arg(folder));
        const QString base = m_written.isEmpty() ? QStringLiteral("report")
                                                 : QFileInfo(m_written.front()).completeBaseName();
        const QString path = QDir(folder).filePath(base + QStringLiteral(".pdf"));
        if (auto done = writePdfReport(*m_run, path); !done)
            return fail(QString::fromStdString(done.error().toString()));
        m_written << path;
    }
    QSettings settings;
    settings.setValue(kFolderKey, folder);
    settings.setValue(kFormatsKey, keys);
    m_message->setPalette(palette());
    m_message->setText(tr("Written: %1").arg(m_written.join(QStringLiteral(", "))));
    m_openButton->setEnabled(true);
    return true;
}

void showExportDialog(profiler::RunSnapshot run, QWidget* parent) {
    if (!run) return;
    auto* dialog = new ReportDialog(std::move(run), parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

}  // namespace lanescope::app
