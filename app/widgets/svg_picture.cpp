#include "app/widgets/svg_picture.h"

#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QMimeData>
#include <QPainter>
#include <QSvgGenerator>

namespace lanescope::app {

QByteArray svgPicture(const QRect& area, const QString& title,
                      const std::function<void(QPainter&)>& paint) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(area.size());
    generator.setViewBox(area);
    generator.setTitle(title);
    QPainter painter(&generator);
    paint(painter);
    painter.end();
    return bytes;
}

void copySvgPicture(const QByteArray& svg) {
    auto* mime = new QMimeData;
    mime->setData(QStringLiteral("image/svg+xml"), svg);
    mime->setText(QString::fromUtf8(svg));
    QApplication::clipboard()->setMimeData(mime);
}

}  // namespace lanescope::app
