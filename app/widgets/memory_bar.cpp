#include "app/widgets/memory_bar.h"

#include <QPainter>
#include <QPainterPath>
#include <QStringList>

#include "app/models/number_text.h"
#include "app/theme/theme.h"

namespace lanescope::app {

namespace {
constexpr int kBarHeight = 6;

std::array<QColor, 3> partColors() {
    const ThemeColors& c = themeColors();
    return {blend(c.base, c.text, 0.62), c.accent, blend(c.base, c.text, 0.32)};
}
}  // namespace

MemoryBar::MemoryBar(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(themeNotifier(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

void MemoryBar::setFigures(const std::optional<MemoryEstimate>& estimate,
                           const std::optional<trace::MemoryFigures>& measured,
                           std::uint64_t scaleBytes, std::uint64_t freeBytes) {
    m_estimate.reset();
    m_measured.reset();
    if (estimate) m_estimate = {estimate->weightBytes, estimate->kvBytes, estimate->scratchBytes};
    if (measured) m_measured = {measured->weightBytes, measured->kvBytes, measured->scratchBytes};
    m_scale = scaleBytes;
    m_free = freeBytes;

    const std::array<QString, 3> names{tr("weights"), tr("KV cache"), tr("compute")};
    QString tip = QStringLiteral(
                      "<table cellspacing='4'><tr><td></td><th align='right'>%1</th>"
                      "<th align='right'>%2</th></tr>")
                      .arg(tr("est."), tr("measured"));
    for (std::size_t i = 0; i < names.size(); ++i)
        tip +=
            QStringLiteral("<tr><td>%1</td><td align='right'>%2</td><td align='right'>%3</td></tr>")
                .arg(names[i], m_estimate ? bytesText((*m_estimate)[i]) : QStringLiteral("–"),
                     m_measured ? bytesText((*m_measured)[i]) : QStringLiteral("–"));
    if (measured && measured->residentBytes > 0)
        tip += QStringLiteral("<tr><td>%1</td><td></td><td align='right'>%2</td></tr>")
                   .arg(tr("resident set grew by"), bytesText(measured->residentBytes));
    if (m_free > 0)
        tip += QStringLiteral("<tr><td>%1</td><td></td><td align='right'>%2</td></tr>")
                   .arg(tr("free on this machine"), bytesText(m_free));
    tip += QStringLiteral("</table>");
    setToolTip(tip);

    QStringList spoken;
    if (m_estimate)
        for (std::size_t i = 0; i < names.size(); ++i)
            spoken << names[i] + QLatin1Char(' ') + bytesText((*m_estimate)[i]);
    setAccessibleName(tr("Memory"));
    setAccessibleDescription(spoken.join(QStringLiteral(", ")));
    update();
}

QSize MemoryBar::sizeHint() const {
    return {160, kBarHeight * 2 + 2};
}
QSize MemoryBar::minimumSizeHint() const {
    return {60, kBarHeight * 2 + 2};
}

void MemoryBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeColors& c = themeColors();
    const QRectF upper(0, 0, width(), kBarHeight);
    const QRectF lower(0, kBarHeight + 2, width(), kBarHeight);
    for (const QRectF& area : {upper, lower}) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(blend(c.panel, c.text, 0.08));
        painter.drawRoundedRect(area, 2, 2);
    }
    if (m_estimate) paintParts(painter, upper, *m_estimate, true);
    if (m_measured) paintParts(painter, lower, *m_measured, false);
}

void MemoryBar::paintParts(QPainter& painter, const QRectF& area, const Parts& parts,
                           bool hatched) const {
    if (m_scale == 0) return;
    QPainterPath clip;
    clip.addRoundedRect(area, 2, 2);
    painter.save();
    painter.setClipPath(clip);
    const auto colors = partColors();
    qreal x = area.left();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const qreal w = area.width() * static_cast<double>(parts[i]) / static_cast<double>(m_scale);
        const QRectF part(x, area.top(), w, area.height());
        QColor color = colors[i];
        if (hatched) color.setAlphaF(0.45F);
        painter.fillRect(part, color);
        if (hatched) painter.fillRect(part, QBrush(colors[i], Qt::BDiagPattern));
        x += w;
    }
    painter.restore();
}

}  // namespace lanescope::app
