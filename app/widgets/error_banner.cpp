#include "app/widgets/error_banner.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/theme/theme.h"

namespace lanescope::app {

ErrorBanner::ErrorBanner(QWidget* parent)
    : QFrame(parent),
      m_icon(new QLabel(this)),
      m_message(new QLabel(this)),
      m_details(new QLabel(this)),
      m_more(new QToolButton(this)),
      m_close(new QToolButton(this)) {
    setObjectName(QStringLiteral("errorBanner"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kSpace, kSpaceS, kSpaceS, kSpaceS);
    column->setSpacing(kSpaceXs);
    auto* row = new QHBoxLayout;
    row->setSpacing(kSpaceS);
    m_message->setWordWrap(true);
    m_message->setTextFormat(Qt::PlainText);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_message->setAccessibleName(tr("Error"));
    m_details->setWordWrap(true);
    m_details->setTextFormat(Qt::PlainText);
    m_details->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_more->setText(tr("Details"));
    m_more->setCheckable(true);
    m_more->setAutoRaise(true);
    m_close->setAutoRaise(true);
    m_close->setAccessibleName(tr("Dismiss"));
    m_close->setToolTip(tr("Dismiss"));
    row->addWidget(m_icon, 0, Qt::AlignTop);
    row->addWidget(m_message, 1);
    row->addWidget(m_more, 0, Qt::AlignTop);
    row->addWidget(m_close, 0, Qt::AlignTop);
    column->addLayout(row);
    column->addWidget(m_details);
    connect(m_more, &QToolButton::toggled, this, &ErrorBanner::updateDetails);
    connect(m_close, &QToolButton::clicked, this, [this] { setError({}, {}); });
    connect(themeNotifier(), &ThemeNotifier::changed, this, &ErrorBanner::restyle);
    restyle();
    setError({}, {});
}

void ErrorBanner::setError(const QString& message, const QString& details) {
    if (message == m_message->text() && details == m_details->text() && !message.isEmpty()) return;
    m_message->setText(message);
    m_details->setText(details);
    m_more->setChecked(false);
    m_more->setVisible(!details.isEmpty());
    updateDetails();
    setVisible(!message.isEmpty());
}

void ErrorBanner::setClosable(bool closable) {
    m_close->setVisible(closable);
}

void ErrorBanner::showDetails() {
    if (m_more->isVisibleTo(this)) m_more->setChecked(true);
}

QString ErrorBanner::message() const {
    return m_message->text();
}

void ErrorBanner::updateDetails() {
    m_details->setVisible(m_more->isChecked() && !m_details->text().isEmpty());
}

void ErrorBanner::restyle() {
    const ThemeColors& c = themeColors();
    m_icon->setPixmap(themeIcon(QStringLiteral("error"), c.bad).pixmap(16, 16));
    m_close->setIcon(themeIcon(QStringLiteral("remove"), c.textMuted));
    m_close->setIconSize(QSize(12, 12));
    setStyleSheet(QStringLiteral("#errorBanner { background: %1; border: 1px solid %2; "
                                 "border-radius: %3px; }")
                      .arg(blend(c.panel, c.bad, 0.08).name(), blend(c.border, c.bad, 0.5).name())
                      .arg(kRadius));
}

}  // namespace lanescope::app
