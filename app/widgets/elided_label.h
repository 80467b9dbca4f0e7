#pragma once
// One line of text that shrinks with an ellipsis and tells the whole in its tooltip.

#include <QWidget>

namespace lanescope::app {

class ElidedLabel : public QWidget {
    Q_OBJECT
  public:
    explicit ElidedLabel(QWidget* parent = nullptr);
    void setText(const QString& text);
    void setElideMode(Qt::TextElideMode mode);
    /// Invalid: the palette's text colour.
    void setColor(const QColor& color);
    /// A link: clicked() follows a click, the pointer says so.
    void setClickable(bool clickable);
    [[nodiscard]] const QString& text() const { return m_text; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  signals:
    void clicked();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    QString m_text;
    QColor m_color;
    Qt::TextElideMode m_mode = Qt::ElideRight;
    bool m_clickable = false;
    bool m_hovered = false;
};

}  // namespace lanescope::app
