#pragma once
// A plain text editor in the fixed font with line numbers and one marked line.

#include <QPlainTextEdit>

namespace lanescope::app {

class CodeEdit : public QPlainTextEdit {
    Q_OBJECT
  public:
    explicit CodeEdit(QWidget* parent = nullptr);
    /// 1-based; 0: none.
    void markLine(int line);
    [[nodiscard]] int markedLine() const { return m_marked; }
    void paintGutter(QPaintEvent* event);
    [[nodiscard]] int gutterWidth() const;

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void applyMark();

    QWidget* m_gutter;
    int m_marked = 0;
};

}  // namespace lanescope::app
