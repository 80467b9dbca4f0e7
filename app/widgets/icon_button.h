#pragma once
// A flat tool button with one of our icons that follows the theme.

#include <QToolButton>

namespace lanescope::app {

class IconButton : public QToolButton {
    Q_OBJECT
  public:
    /// tip is also the accessible name.
    IconButton(const QString& icon, const QString& tip, QWidget* parent = nullptr);
    void setIconName(const QString& icon);
    /// Invalid: the text colour.
    void setTint(const QColor& tint);
    void setTip(const QString& tip);

  private:
    void refresh();
    QString m_icon;
    QColor m_tint;
};

}  // namespace lanescope::app
