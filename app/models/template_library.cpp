#include "app/models/template_library.h"

#include <QCoreApplication>
#include <QFile>
#include <array>

/// Resources of a static library are dropped by the linker unless somebody names them.
static void initTemplateResources() {
    Q_INIT_RESOURCE(templates);
}

namespace lanescope::app {

namespace {

struct Templates {
    Q_DECLARE_TR_FUNCTIONS(TemplateLibrary)
};

struct Entry {
    const char* key;
    const char* name;
};
constexpr std::array<Entry, 6> kEntries{{{"chatml", "ChatML"},
                                         {"llama2", "Llama 2"},
                                         {"llama3", "Llama 3"},
                                         {"gemma", "Gemma"},
                                         {"zephyr", "Zephyr"},
                                         {"alpaca", "Alpaca"}}};

std::vector<BuiltInTemplate> readAll() {
    initTemplateResources();
    std::vector<BuiltInTemplate> out;
    for (const Entry& entry : kEntries) {
        QFile file(QStringLiteral(":/templates/%1.jinja").arg(QLatin1String(entry.key)));
        if (!file.open(QIODevice::ReadOnly)) continue;
        out.push_back({QString::fromLatin1(entry.key), QString::fromLatin1(entry.name),
                       file.readAll().toStdString()});
    }
    return out;
}

}  // namespace

const std::vector<BuiltInTemplate>& builtInTemplates() {
    static const std::vector<BuiltInTemplate> all = readAll();
    return all;
}

const BuiltInTemplate* findBuiltIn(const std::string& source) {
    for (const BuiltInTemplate& known : builtInTemplates())
        if (known.source == source) return &known;
    return nullptr;
}

QString templateTitle(const std::string& source) {
    if (source.empty()) return {};
    const BuiltInTemplate* known = findBuiltIn(source);
    return known != nullptr ? known->name : Templates::tr("edited");
}

}  // namespace lanescope::app
