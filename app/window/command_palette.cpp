#include "app/window/command_palette.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QTimer>
#include <QVBoxLayout>

#include "app/theme/theme.h"

namespace lanescope::app {

QString plainActionText(const QAction& action) {
    QString text = action.text();
    // "打开(&O)": a mnemonic in brackets goes with its brackets.
    const auto bracket = text.indexOf(QLatin1String("(&"));
    if (bracket >= 0) text.remove(bracket, 4);
    text.remove(QLatin1Char('&'));
    text.remove(QStringLiteral("…"));
    return text;
}

CommandPalette::CommandPalette(const QList<QAction*>& actions, QWidget* parent)
    : QDialog(parent),
      m_actions(actions),
      m_field(new QLineEdit(this)),
      m_list(new QListWidget(this)) {
    setWindowTitle(tr("Commands"));
    setWindowFlag(Qt::FramelessWindowHint);
    resize(520, 360);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kSpace, kSpace, kSpace, kSpace);
    m_field->setPlaceholderText(tr("Type a command"));
    m_field->setAccessibleName(tr("Command"));
    m_list->setAccessibleName(tr("Commands"));
    layout->addWidget(m_field);
    layout->addWidget(m_list);
    m_field->installEventFilter(this);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_field, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(m_list, &QListWidget::itemActivated, this, &CommandPalette::run);
    filter({});
}

void CommandPalette::filter(const QString& text) {
    m_list->clear();
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (int i = 0; i < m_actions.size(); ++i) {
        const QAction* action = m_actions[i];
        if (!action->isEnabled() || action->isSeparator()) continue;
        const QString name = plainActionText(*action);
        bool matches = !name.isEmpty();
        for (const QString& word : words)
            matches = matches && name.contains(word, Qt::CaseInsensitive);
        if (!matches) continue;
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        auto* item = new QListWidgetItem(
            keys.isEmpty() ? name : name + QStringLiteral("    ") + keys, m_list);
        item->setData(Qt::UserRole, i);
    }
    m_list->setCurrentRow(0);
}

void CommandPalette::run() {
    const QListWidgetItem* item = m_list->currentItem();
    if (item == nullptr) return;
    QAction* action = m_actions[item->data(Qt::UserRole).toInt()];
    accept();
    QTimer::singleShot(0, action, &QAction::trigger);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        if (step != 0) {
            const int row = m_list->currentRow() + step;
            if (row >= 0 && row < m_list->count()) m_list->setCurrentRow(row);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace lanescope::app
