#pragma once
// lanescope [MODEL or PLAN or run or trace file …] [--language L] [--theme T] [--screenshot DIR]
// [--size WxH]

#include <QSize>
#include <QString>
#include <QStringList>
#include <variant>

#include "app/theme/theme.h"

namespace lanescope::app {

struct CommandLine {
    QStringList files;
    QString language;  ///< empty: as remembered
    bool themeGiven = false;
    ThemeChoice theme = ThemeChoice::System;
    QString screenshotDir;  ///< empty: a normal start
    QSize size;             ///< invalid: as remembered
    QString help;           ///< not empty: print and exit 0
};

/// The command line, or one sentence about what is wrong with it.
std::variant<CommandLine, QString> parseCommandLine(const QStringList& arguments);

ThemeChoice themeFromName(const QString& name);
QString themeName(ThemeChoice choice);

}  // namespace lanescope::app
