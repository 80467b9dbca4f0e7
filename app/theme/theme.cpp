#include "app/theme/theme.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QSvgRenderer>
#include <array>
#include <cmath>

#include "app/theme/outlined_style.h"

/// Resources of a static library are dropped by the linker unless somebody names them.
static void initIconResources() {
    Q_INIT_RESOURCE(icons);
}

namespace lanescope::app {

namespace {

constexpr std::array<QRgb, kMaxLanes> kLaneRgb{0xFF0072B2, 0xFFE69F00, 0xFF009E73,
                                               0xFFCC79A7, 0xFF56B4E9, 0xFFD55E00};

struct ThemeState {
    ThemeChoice choice = ThemeChoice::System;
    ThemeColors colors;
    QPalette systemPalette;
    bool haveSystemPalette = false;
};

ThemeState& state() {
    static ThemeState s;
    return s;
}

ThemeColors lightColors() {
    ThemeColors c;
    c.window = QColor(0xF3F4F6);
    c.panel = QColor(0xFAFBFC);
    c.base = QColor(0xFFFFFF);
    c.border = QColor(0xD5D9DF);
    c.text = QColor(0x1B1F24);
    c.textMuted = QColor(0x59626E);
    c.textFaint = QColor(0x7C8590);
    c.accent = QColor(0x2F6FDE);
    c.accentText = QColor(0xFFFFFF);
    c.selection = QColor(0xD6E4FC);
    c.good = QColor(0x1A7F48);
    c.bad = QColor(0xB42318);
    c.warn = QColor(0x8F5B00);
    c.grid = QColor(0xE6E9ED);
    return c;
}

ThemeColors darkColors() {
    ThemeColors c;
    c.dark = true;
    c.window = QColor(0x17191C);
    c.panel = QColor(0x1F2226);
    c.base = QColor(0x1A1D20);
    c.border = QColor(0x363B42);
    c.text = QColor(0xE4E7EB);
    c.textMuted = QColor(0xA3ABB6);
    c.textFaint = QColor(0x7D8692);
    c.accent = QColor(0x5B93F0);
    c.accentText = QColor(0x0B1220);
    c.selection = QColor(0x274064);
    c.good = QColor(0x4CC38A);
    c.bad = QColor(0xF2776B);
    c.warn = QColor(0xE0A84A);
    c.grid = QColor(0x2A2F35);
    return c;
}

QPalette paletteOf(const ThemeColors& c) {
    QPalette p;
    p.setColor(QPalette::Window, c.window);
    p.setColor(QPalette::WindowText, c.text);
    p.setColor(QPalette::Base, c.base);
    p.setColor(QPalette::AlternateBase, blend(c.base, c.text, 0.03));
    p.setColor(QPalette::Text, c.text);
    p.setColor(QPalette::PlaceholderText, c.textFaint);
    p.setColor(QPalette::Button, c.panel);
    p.setColor(QPalette::ButtonText, c.text);
    p.setColor(QPalette::BrightText, c.bad);
    p.setColor(QPalette::ToolTipBase, c.panel);
    p.setColor(QPalette::ToolTipText, c.text);
    p.setColor(QPalette::Highlight, c.accent);
    p.setColor(QPalette::HighlightedText, c.accentText);
    p.setColor(QPalette::Link, c.accent);
    p.setColor(QPalette::LinkVisited, c.accent);
    p.setColor(QPalette::Light, blend(c.panel, Qt::white, c.dark ? 0.08 : 0.6));
    p.setColor(QPalette::Midlight, blend(c.panel, Qt::white, c.dark ? 0.04 : 0.3));
    p.setColor(QPalette::Mid, c.border);
    p.setColor(QPalette::Dark, blend(c.border, Qt::black, c.dark ? 0.4 : 0.15));
    p.setColor(QPalette::Shadow, blend(c.border, Qt::black, 0.5));
    for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, c.textFaint);
    p.setColor(QPalette::Disabled, QPalette::Highlight, c.border);
    p.setColor(QPalette::Disabled, QPalette::HighlightedText, c.textFaint);
    return p;
}

/// Families for what the system font lacks, named so that the regular weight is taken and not
/// whichever face the font system meets first.
void addFallbackFamilies(QApplication& app) {
    QFont font = QApplication::font();
    // The family itself, not its alias: behind an alias the next name would win.
    QStringList families{QFontInfo(font).family()};
    const QStringList known = QFontDatabase::families();
    for (const char* name : {"Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC",
                             "WenQuanYi Micro Hei", "Microsoft YaHei", "Noto Color Emoji"})
        if (known.contains(QLatin1String(name))) families << QString::fromLatin1(name);
    font.setFamilies(families);
    app.setFont(font);
}

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& c) {
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

bool systemIsDark() {
    return state().systemPalette.color(QPalette::Window).lightness() < 128;
}

}  // namespace

void applyTheme(QApplication& app, ThemeChoice choice) {
    ThemeState& s = state();
    if (!s.haveSystemPalette) {
        initIconResources();
        s.systemPalette = app.palette();
        s.haveSystemPalette = true;
        addFallbackFamilies(app);
        app.setStyle(new OutlinedStyle);
    }
    s.choice = choice;
    const bool dark =
        choice == ThemeChoice::Dark || (choice == ThemeChoice::System && systemIsDark());
    s.colors = dark ? darkColors() : lightColors();
    app.setPalette(paletteOf(s.colors));
    emit themeNotifier()->changed();
}

ThemeChoice themeChoice() {
    return state().choice;
}

const ThemeColors& themeColors() {
    ThemeState& s = state();
    if (!s.colors.text.isValid()) s.colors = lightColors();
    return s.colors;
}

ThemeNotifier* themeNotifier() {
    static ThemeNotifier notifier;
    return &notifier;
}

QColor laneColor(int lane) {
    if (lane < 0) return themeColors().textFaint;
    return QColor::fromRgb(kLaneRgb[static_cast<std::size_t>(lane) % kLaneRgb.size()]);
}

QColor laneTextColor(int lane) {
    const ThemeColors& c = themeColors();
    const QColor lanes = laneColor(lane);
    for (int step = 0; step <= 10; ++step) {
        const QColor mixed = blend(lanes, c.text, step * 0.1);
        if (contrastRatio(mixed, c.base) >= 4.5) return mixed;
    }
    return c.text;
}

QColor contrastText(const QColor& background) {
    return contrastRatio(background, Qt::white) >= contrastRatio(background, Qt::black)
               ? QColor(Qt::white)
               : QColor(Qt::black);
}

double contrastRatio(const QColor& a, const QColor& b) {
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor blend(const QColor& under, const QColor& over, double amount) {
    const auto mix = [amount](double u, double o) {
        return static_cast<float>(u + (o - u) * amount);
    };
    return QColor::fromRgbF(mix(under.redF(), over.redF()), mix(under.greenF(), over.greenF()),
                            mix(under.blueF(), over.blueF()));
}

QString laneLetter(int lane) {
    if (lane < 0) return QStringLiteral("–");
    return QString(QChar(u'A' + lane % 26));
}

QFont uiFont(int deltaPt, bool bold) {
    QFont font = QApplication::font();
    if (font.pointSizeF() > 0) font.setPointSizeF(std::max(6.0, font.pointSizeF() + deltaPt));
    font.setBold(bold);
    const QFontMetricsF metrics(font);
    const qreal width = metrics.horizontalAdvance(u'0');
    for (char16_t digit = u'1'; digit <= u'9'; ++digit) {
        if (std::abs(metrics.horizontalAdvance(digit) - width) > 0.01) {
            QFont mono = monoFont(deltaPt);
            mono.setBold(bold);
            return mono;
        }
    }
    return font;
}

QFont monoFont(int deltaPt) {
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    const qreal size = QApplication::font().pointSizeF();
    if (size > 0) font.setPointSizeF(std::max(6.0, size + deltaPt));
    return font;
}

QIcon themeIcon(const QString& name) {
    return themeIcon(name, themeColors().text);
}

QIcon themeIcon(const QString& name, const QColor& color) {
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QByteArray source = file.readAll();
    QIcon icon;
    const auto render = [&](const QColor& tint, QIcon::Mode mode) {
        QByteArray svg = source;
        svg.replace("currentColor", tint.name().toLatin1());
        QSvgRenderer renderer(svg);
        for (int size : {16, 24, 32, 48}) {
            QPixmap pixmap(size, size);
            pixmap.fill(Qt::transparent);
            QPainter painter(&pixmap);
            renderer.render(&painter);
            painter.end();
            icon.addPixmap(pixmap, mode);
        }
    };
    render(color, QIcon::Normal);
    render(themeColors().textFaint, QIcon::Disabled);
    return icon;
}

}  // namespace lanescope::app
