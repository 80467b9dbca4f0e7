#include "app/views/model/code_edit.h"

#include <QPainter>
#include <QTextBlock>
#include <QTextOption>

#include "app/theme/theme.h"

namespace lanescope::app {

namespace {

class Gutter : public QWidget {
  public:
    explicit Gutter(CodeEdit* edit) : QWidget(edit), m_edit(edit) {}

  protected:
    void paintEvent(QPaintEvent* event) override { m_edit->paintGutter(event); }

  private:
    CodeEdit* m_edit;
};

}  // namespace

CodeEdit::CodeEdit(QWidget* parent) : QPlainTextEdit(parent), m_gutter(new Gutter(this)) {
    setFont(monoFont());
    setWordWrapMode(QTextOption::WrapAnywhere);
    setTabChangesFocus(true);
    const auto widen = [this] { setViewportMargins(gutterWidth(), 0, 0, 0); };
    connect(this, &QPlainTextEdit::blockCountChanged, this, widen);
    connect(this, &QPlainTextEdit::updateRequest, this,
            [this](const QRect&, int) { m_gutter->update(); });
    connect(themeNotifier(), &ThemeNotifier::changed, this, &CodeEdit::applyMark);
    widen();
}

int CodeEdit::gutterWidth() const {
    const auto digits = std::max<qsizetype>(2, QString::number(blockCount()).size());
    return static_cast<int>(digits) * fontMetrics().horizontalAdvance(u'0') + 2 * kSpace;
}

void CodeEdit::markLine(int line) {
    if (line == m_marked) return;
    m_marked = line;
    applyMark();
}

void CodeEdit::applyMark() {
    QList<QTextEdit::ExtraSelection> marks;
    const QTextBlock block = document()->findBlockByNumber(m_marked - 1);
    if (m_marked > 0 && block.isValid()) {
        QTextEdit::ExtraSelection mark;
        mark.format.setBackground(blend(themeColors().base, themeColors().bad, 0.2));
        mark.format.setProperty(QTextFormat::FullWidthSelection, true);
        mark.cursor = QTextCursor(block);
        marks << mark;
    }
    setExtraSelections(marks);
    m_gutter->update();
}

void CodeEdit::resizeEvent(QResizeEvent* event) {
    QPlainTextEdit::resizeEvent(event);
    const QRect area = contentsRect();
    m_gutter->setGeometry(area.left(), area.top(), gutterWidth(), area.height());
}

void CodeEdit::paintGutter(QPaintEvent* event) {
    QPainter painter(m_gutter);
    const ThemeColors& c = themeColors();
    painter.fillRect(event->rect(), c.panel);
    painter.setFont(font());
    QTextBlock block = firstVisibleBlock();
    qreal top = blockBoundingGeometry(block).translated(contentOffset()).top();
    while (block.isValid() && top <= event->rect().bottom()) {
        const qreal height = blockBoundingRect(block).height();
        const bool marked = block.blockNumber() + 1 == m_marked;
        painter.setPen(marked ? c.bad : c.textFaint);
        painter.drawText(QRectF(0, top, m_gutter->width() - kSpaceS, height),
                         Qt::AlignRight | Qt::AlignTop, QString::number(block.blockNumber() + 1));
        block = block.next();
        top += height;
    }
}

}  // namespace lanescope::app
