#include "app/window/keys_dialog.h"

#include <QCoreApplication>
#include <QDialog>
#include <QLabel>
#include <QMessageBox>
#include <QVBoxLayout>
#include <array>
#include <utility>
#include <vector>

#include "app/theme/theme.h"

namespace lanescope::app {

namespace {
struct Keys {
    Q_DECLARE_TR_FUNCTIONS(KeysDialog)
};

QString section(const QString& title, const std::vector<std::pair<QString, QString>>& rows) {
    QString html = QStringLiteral("<tr><td colspan='2'><b>%1</b></td></tr>").arg(title);
    for (const auto& [keys, what] : rows)
        html += QStringLiteral(
                    "<tr><td style='padding-right:16px'><code>%1</code></td><td>%2</td></tr>")
                    .arg(keys.toHtmlEscaped(), what.toHtmlEscaped());
    return html + QStringLiteral("<tr><td>&nbsp;</td></tr>");
}
}  // namespace

void showKeysDialog(QWidget* parent) {
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(Keys::tr("Keys"));
    auto* layout = new QHBoxLayout(dialog);
    layout->setContentsMargins(kSpaceXl, kSpaceL, kSpaceXl, kSpaceL);
    layout->setSpacing(kSpaceXl);
    QString left =
        section(Keys::tr("Everywhere"),
                {{QStringLiteral("Ctrl+Enter"), Keys::tr("run the prompt")},
                 {QStringLiteral("Esc"), Keys::tr("stop the run, clear the selection")},
                 {QStringLiteral("Ctrl+O"), Keys::tr("open a model")},
                 {QStringLiteral("Ctrl+K"), Keys::tr("command palette")},
                 {QStringLiteral("Ctrl+1 … Ctrl+6"), Keys::tr("pages")},
                 {QStringLiteral("Ctrl+L"), Keys::tr("write in the prompt")},
                 {QStringLiteral("Ctrl+I"), Keys::tr("show or hide the inspector")},
                 {QStringLiteral("Ctrl+Z, Ctrl+Shift+Z"), Keys::tr("undo, redo lane edits")},
                 {QStringLiteral("?"), Keys::tr("this page")}});
    left += section(Keys::tr("A lane with focus"),
                    {{QStringLiteral("Enter"), Keys::tr("edit")},
                     {QStringLiteral("I"), Keys::tr("details of its model")},
                     {QStringLiteral("D"), Keys::tr("duplicate")},
                     {QStringLiteral("M"), Keys::tr("mute or unmute")},
                     {QStringLiteral("B"), Keys::tr("pin as baseline")},
                     {QStringLiteral("Delete"), Keys::tr("remove (can be undone)")}});
    QString right =
        section(Keys::tr("Answers"),
                {{QStringLiteral("← → ↑ ↓"), Keys::tr("select a token")},
                 {QStringLiteral("Shift+← →"), Keys::tr("select a range")},
                 {QStringLiteral("Home, End"), Keys::tr("first, last token")},
                 {QStringLiteral("Ctrl+C"), Keys::tr("copy the selection or the answer")}});
    right += section(
        Keys::tr("Timeline"),
        {{QStringLiteral("W, S"), Keys::tr("zoom in, out")},
         {QStringLiteral("A, D"), Keys::tr("pan left, right")},
         {QStringLiteral("F"), Keys::tr("fit the selection")},
         {QStringLiteral("Home, 0"), Keys::tr("fit everything")},
         {QStringLiteral(". ,"), Keys::tr("next, previous span")},
         {QStringLiteral("↑ ↓"), Keys::tr("choose the track")},
         {QStringLiteral("Enter, Shift+Enter"), Keys::tr("into a span (ops, kernels), out of it")},
         {QStringLiteral("C, Shift+C"), Keys::tr("collapse the group, or all")},
         {QStringLiteral("R"), Keys::tr("mark a range")},
         {QStringLiteral("Ctrl+F"), Keys::tr("find")},
         {QStringLiteral("Backspace"), Keys::tr("previous zoom")}});
    for (const QString& html : {left, right}) {
        auto* label = new QLabel(QStringLiteral("<table>%1</table>").arg(html), dialog);
        label->setTextFormat(Qt::RichText);
        layout->addWidget(label, 0, Qt::AlignTop);
    }
    dialog->open();
}

void showAboutDialog(QWidget* parent) {
    auto* box = new QMessageBox(parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowTitle(Keys::tr("About Lanescope"));
    box->setIconPixmap(QIcon(QStringLiteral(":/icons/lanescope.svg")).pixmap(64, 64));
    box->setText(QStringLiteral("<b>Lanescope %1</b>").arg(QStringLiteral(LANESCOPE_VERSION)));
    box->setInformativeText(
        Keys::tr("Profiler and playground for the cost of LLM inference. Everything runs on this "
                 "machine; nothing is sent anywhere.") +
        QStringLiteral("<br>Qt %1").arg(QString::fromLatin1(qVersion())));
    box->open();
}

}  // namespace lanescope::app
