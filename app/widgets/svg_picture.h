#pragma once
// Charts as SVG: drawn into bytes, and onto the clipboard.

#include <QByteArray>
#include <QRect>
#include <QString>
#include <functional>

class QPainter;

namespace lanescope::app {

/// What `paint` draws inside `area`, as an SVG document with the title.
QByteArray svgPicture(const QRect& area, const QString& title,
                      const std::function<void(QPainter&)>& paint);
/// Onto the clipboard, as a picture and as text.
void copySvgPicture(const QByteArray& svg);

}  // namespace lanescope::app
