// The description of a checkpoint as rows: GGUF keys as they stand, JSON files leaf by leaf.
#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "app/models/model_facts.h"
#include "app/models/number_text.h"

namespace lanescope::app {

namespace {

struct Meta {
    Q_DECLARE_TR_FUNCTIONS(MetadataRows)
};

constexpr int kSummaryItems = 8;
constexpr int kSummaryChars = 160;
constexpr int kMaxDepth = 32;

QString text(std::string_view s) {
    return QString::fromUtf8(s.data(), static_cast<qsizetype>(s.size()));
}

QString quoted(std::string_view s) {
    return QLatin1Char('"') + text(s) + QLatin1Char('"');
}

QString itemText(std::int64_t v) {
    return QString::number(v);
}
QString itemText(std::uint64_t v) {
    return QString::number(v);
}
QString itemText(double v) {
    return QString::number(v, 'g', 9);
}
QString itemText(bool v) {
    return v ? QStringLiteral("true") : QStringLiteral("false");
}
QString itemText(std::string_view v) {
    return quoted(v);
}

/// One line, cut with an ellipsis.
QString oneLine(QString value) {
    value.replace(QLatin1Char('\n'), QStringLiteral("↵"));
    if (value.size() <= kSummaryChars) return value;
    // Never half a surrogate pair.
    int end = kSummaryChars - 1;
    if (value[end - 1].isHighSurrogate()) --end;
    return value.left(end) + QStringLiteral("…");
}

template <class Items>
QString listText(const Items& items, int maxItems, const QString& separator) {
    QStringList parts;
    int n = 0;
    for (const auto& item : items) {
        if (n++ == maxItems) {
            parts << (separator == QLatin1String("\n")
                          ? Meta::tr("… %1 more")
                                .arg(items.size() - static_cast<std::size_t>(maxItems))
                          : QStringLiteral("…"));
            break;
        }
        // bool lists hand out a proxy, so name the type.
        parts << itemText(static_cast<typename Items::value_type>(item));
    }
    return parts.join(separator);
}

QString valueText(const MetaValue& value, int maxItems, const QString& separator, bool whole) {
    return std::visit(
        [&](const auto& v) -> QString {
            using T = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<T, std::string_view>) {
                return text(whole ? v : v.substr(0, kSummaryChars * 4));
            } else if constexpr (std::is_arithmetic_v<T>) {
                return itemText(v);
            } else if constexpr (std::is_same_v<T, std::shared_ptr<const MetaNested>>) {
                return v ? Meta::tr("%1 lists").arg(v->items.size()) : QString();
            } else {
                return listText(v, maxItems, separator);
            }
        },
        value);
}

QString typeText(const MetaValue& value) {
    const auto list = [](std::size_t n, const QString& of) {
        return QStringLiteral("%1[%2]").arg(of).arg(n);
    };
    return std::visit(
        [&](const auto& v) -> QString {
            using T = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<T, std::string_view>) {
                return QStringLiteral("string");
            } else if constexpr (std::is_same_v<T, bool>) {
                return QStringLiteral("bool");
            } else if constexpr (std::is_integral_v<T>) {
                return QStringLiteral("integer");
            } else if constexpr (std::is_same_v<T, double>) {
                return QStringLiteral("float");
            } else if constexpr (std::is_same_v<T, std::vector<std::string_view>>) {
                return list(v.size(), QStringLiteral("string"));
            } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
                return list(v.size(), QStringLiteral("integer"));
            } else if constexpr (std::is_same_v<T, std::vector<double>>) {
                return list(v.size(), QStringLiteral("float"));
            } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
                return list(v.size(), QStringLiteral("bool"));
            } else {
                return list(v ? v->items.size() : 0, QStringLiteral("list"));
            }
        },
        value);
}

struct JsonFile {
    const char* name;
    const nlohmann::json* root;
};

std::array<JsonFile, 3> jsonFiles(const Checkpoint& checkpoint) {
    return {{{"config.json", &checkpoint.config()},
             {"tokenizer_config.json", &checkpoint.tokenizerConfig()},
             {"generation_config.json", &checkpoint.generationConfig()}}};
}

QString jsonType(const nlohmann::json& value) {
    if (value.is_array()) return QStringLiteral("list[%1]").arg(value.size());
    if (value.is_object()) return QStringLiteral("object[%1]").arg(value.size());
    if (value.is_string()) return QStringLiteral("string");
    if (value.is_boolean()) return QStringLiteral("bool");
    if (value.is_number_integer()) return QStringLiteral("integer");
    if (value.is_number()) return QStringLiteral("float");
    return QStringLiteral("null");
}

QString jsonText(const nlohmann::json& value, int indent) {
    if (value.is_string()) return QString::fromStdString(value.get<std::string>());
    return QString::fromStdString(
        value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace));
}

void addJson(const nlohmann::json& value, const QString& key, std::size_t source, int depth,
             std::vector<MetadataRow>& out) {
    if (value.is_object() && !value.empty() && depth < kMaxDepth) {
        for (const auto& [name, member] : value.items())
            addJson(member, key + QLatin1Char('/') + QString::fromStdString(name), source,
                    depth + 1, out);
        return;
    }
    out.push_back({key, jsonType(value), oneLine(jsonText(value, -1)), source});
}

const nlohmann::json* find(const nlohmann::json& root, const QStringList& path) {
    const nlohmann::json* at = &root;
    for (const QString& name : path) {
        if (!at->is_object()) return nullptr;
        const auto it = at->find(name.toStdString());
        if (it == at->end()) return nullptr;
        at = &*it;
    }
    return at;
}

}  // namespace

std::vector<MetadataRow> metadataRows(const Checkpoint& checkpoint) {
    std::vector<MetadataRow> rows;
    std::size_t source = 0;
    for (const auto& [key, value] : checkpoint.metadata().items())
        rows.push_back({QString::fromStdString(key), typeText(value),
                        oneLine(valueText(value, kSummaryItems, QStringLiteral(", "), false)),
                        source++});
    if (checkpoint.format() == CheckpointFormat::Gguf) return rows;
    std::size_t file = 0;
    for (const JsonFile& json : jsonFiles(checkpoint)) {
        if (json.root->is_object())
            addJson(*json.root, QString::fromLatin1(json.name), file, 0, rows);
        ++file;
    }
    return rows;
}

QString metadataText(const Checkpoint& checkpoint, const MetadataRow& row, int maxItems) {
    if (checkpoint.format() == CheckpointFormat::Gguf) {
        const auto& items = checkpoint.metadata().items();
        if (row.source >= items.size()) return {};
        return valueText(items[row.source].second, maxItems, QStringLiteral("\n"), true);
    }
    const auto files = jsonFiles(checkpoint);
    if (row.source >= files.size()) return {};
    const nlohmann::json* value =
        find(*files[row.source].root, row.key.split(QLatin1Char('/')).mid(1));
    if (value == nullptr) return row.summary;
    QString all = jsonText(*value, 2);
    const int most = maxItems * 20;
    return all.size() > most ? all.left(most) + QStringLiteral("…") : all;
}

}  // namespace lanescope::app
