#pragma once
// Colours, fonts and spacing of every widget. Views ask here instead of naming colours; when the
// theme changes, ThemeNotifier tells them to read again. UI thread only.

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QObject>
#include <QString>

class QApplication;

namespace lanescope::app {

enum class ThemeChoice { System, Light, Dark };

/// The 8 px grid.
inline constexpr int kSpaceXs = 2, kSpaceS = 4, kSpace = 8, kSpaceL = 16, kSpaceXl = 24;
inline constexpr int kRadius = 4;
inline constexpr int kMaxLanes = 6;

struct ThemeColors {
    bool dark = false;
    QColor window;           ///< behind everything
    QColor panel;            ///< cards, tool rows
    QColor base;             ///< text areas, tables, plots
    QColor border;           ///< hairlines
    QColor text;             ///< main text
    QColor textMuted;        ///< labels, units
    QColor textFaint;        ///< settings equal to lane A, "within noise"
    QColor accent;           ///< the one accent: focus, run button, selection
    QColor accentText;       ///< text on accent
    QColor selection;        ///< background of what is selected
    QColor good, bad, warn;  ///< better / worse / attention; never the only sign
    QColor grid;             ///< chart grid
};

/// Emits changed() after the colours changed.
class ThemeNotifier : public QObject {
    Q_OBJECT
  public:
    using QObject::QObject;
  signals:
    void changed();
};

/// Sets Fusion, palette and fonts. Call once after QApplication; again to switch.
void applyTheme(QApplication& app, ThemeChoice choice);
/// What was last applied.
ThemeChoice themeChoice();
const ThemeColors& themeColors();
/// Lives as long as the application.
ThemeNotifier* themeNotifier();

/// Lanes A-F: #0072B2 #E69F00 #009E73 #CC79A7 #56B4E9 #D55E00; repeats beyond, grey below 0.
QColor laneColor(int lane);
/// The lane's colour made readable as text on `base` (contrast at least 4.5).
QColor laneTextColor(int lane);
/// Black or white, whichever reads better on `background`.
QColor contrastText(const QColor& background);
/// WCAG 2 contrast ratio, 1 … 21.
double contrastRatio(const QColor& a, const QColor& b);
/// `amount` of `over` on top of `under`, 0 … 1.
QColor blend(const QColor& under, const QColor& over, double amount);

/// "A" … "F".
QString laneLetter(int lane);

/// Interface font at a size relative to the default (points), digits of one width.
QFont uiFont(int deltaPt = 0, bool bold = false);
/// Fixed-pitch font for ids, bytes, tables.
QFont monoFont(int deltaPt = 0);

/// An icon of resources/icons by name ("run", "stop" …), tinted for the current palette. Call
/// again after ThemeNotifier::changed.
QIcon themeIcon(const QString& name);
QIcon themeIcon(const QString& name, const QColor& color);

}  // namespace lanescope::app
