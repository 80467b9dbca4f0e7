#include "app/widgets/icon_button.h"

#include "app/theme/theme.h"

namespace lanescope::app {

IconButton::IconButton(const QString& icon, const QString& tip, QWidget* parent)
    : QToolButton(parent), m_icon(icon) {
    setAutoRaise(true);
    setIconSize(QSize(16, 16));
    setTip(tip);
    connect(themeNotifier(), &ThemeNotifier::changed, this, &IconButton::refresh);
    refresh();
}

void IconButton::setIconName(const QString& icon) {
    if (icon == m_icon) return;
    m_icon = icon;
    refresh();
}

void IconButton::setTint(const QColor& tint) {
    if (tint == m_tint) return;
    m_tint = tint;
    refresh();
}

void IconButton::setTip(const QString& tip) {
    setToolTip(tip);
    setAccessibleName(tip);
}

void IconButton::refresh() {
    setIcon(m_tint.isValid()
                ? themeIcon(m_icon, m_tint)
                : themeIcon(m_icon, blend(themeColors().panel, themeColors().text, 0.8)));
}

}  // namespace lanescope::app
