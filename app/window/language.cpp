#include "app/window/language.h"

#include <QApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

/// Resources of a static library are dropped by the linker unless somebody names them.
static void initTranslationResources() {
    Q_INIT_RESOURCE(translations);
}

namespace lanescope::app {

namespace {
QString& choice() {
    static QString current = QStringLiteral("system");
    return current;
}
}  // namespace

void applyLanguage(QApplication& app, const QString& language) {
    initTranslationResources();
    static QTranslator own;
    static QTranslator qt;
    choice() = language.isEmpty() ? QStringLiteral("system") : language;
    app.removeTranslator(&own);
    app.removeTranslator(&qt);
    const QLocale locale =
        choice() == QLatin1String("system") ? QLocale::system() : QLocale(choice());
    if (locale.language() != QLocale::Chinese) {
        // English is the source; only its plurals need a file.
        if (own.load(QStringLiteral(":/i18n/lanescope_en.qm"))) app.installTranslator(&own);
        return;
    }
    if (qt.load(QStringLiteral("qtbase_zh_CN"), QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        app.installTranslator(&qt);
    if (own.load(QStringLiteral(":/i18n/lanescope_zh_CN.qm"))) app.installTranslator(&own);
}

QString languageChoice() {
    return choice();
}

}  // namespace lanescope::app
