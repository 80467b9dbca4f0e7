#include "app/models/tokenized_text.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "engine/text/utf8.h"

namespace lanescope::app {

namespace {

struct Tokens {
    Q_DECLARE_TR_FUNCTIONS(TokenizedText)
};

/// Where decoding first differs from the text, in characters; -1: nowhere.
qsizetype firstDifference(const QString& a, const QString& b) {
    const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    if (at == a.end() && other == b.end()) return -1;
    return at - a.begin();
}

void checkRoundTrip(const Tokenizer& tokenizer, const QString& text,
                    const std::vector<TokenId>& ids, TokenizedText& out) {
    const QString back = QString::fromStdString(tokenizer.decode(ids, SkipSpecial::No));
    const qsizetype at = firstDifference(text, back);
    out.roundTrip = at < 0;
    if (at < 0) return;
    const auto near = [at](const QString& s) {
        return QString(s.mid(std::max<qsizetype>(0, at - 4), 12))
            .replace(QLatin1Char('\n'), QStringLiteral("↵"));
    };
    out.roundTripNote = Tokens::tr("decoding differs from character %1: \"%2\" became \"%3\"")
                            .arg(at + 1)
                            .arg(near(text), near(back));
}

}  // namespace

double TokenizedText::bytesPerToken() const {
    return ids.empty() ? 0.0 : static_cast<double>(nBytes) / static_cast<double>(ids.size());
}

QString hexBytes(const std::string& bytes) {
    QStringList parts;
    for (const char c : bytes)
        parts << QStringLiteral("%1")
                     .arg(static_cast<unsigned char>(c), 2, 16, QLatin1Char('0'))
                     .toUpper();
    return parts.join(QLatin1Char(' '));
}

QString readablePiece(const std::string& bytes) {
    if (bytes.empty()) return QStringLiteral("∅");
    if (!utf8::isValid(bytes)) return QStringLiteral("⟨%1⟩").arg(hexBytes(bytes));
    QString text = QString::fromStdString(bytes);
    text.replace(QLatin1Char(' '), QStringLiteral("·"));
    text.replace(QLatin1Char('\n'), QStringLiteral("↵"));
    text.replace(QLatin1Char('\t'), QStringLiteral("→"));
    for (QChar& c : text)
        if (c.unicode() < 0x20) c = QChar(0x2400 + c.unicode());  // control pictures
    return text;
}

QString idsText(const std::vector<TokenId>& ids) {
    QString out;
    out.reserve(static_cast<qsizetype>(ids.size()) * 7);
    for (const TokenId id : ids) {
        if (!out.isEmpty()) out += QStringLiteral(", ");
        out += QString::number(id);
    }
    return out;
}

TokenizedText tokenizeText(const Tokenizer& tokenizer, const QString& whole,
                           const TokenizeOptions& options) {
    TokenizedText out;
    qsizetype length = std::min(whole.size(), kMaxTokenizedChars);
    if (length > 0 && length < whole.size() && whole[length - 1].isHighSurrogate()) --length;
    out.cut = length < whole.size();
    const QString text = whole.left(length);
    const std::string utf8 = text.toStdString();
    const auto special = options.parseSpecial ? SpecialTokens::Parse : SpecialTokens::AsText;
    auto plain = tokenizer.encode(utf8, AddSpecial::No, special);
    if (!plain) {
        out.error = QString::fromStdString(plain.error().toString());
        return out;
    }
    checkRoundTrip(tokenizer, text, *plain, out);
    out.ids = std::move(*plain);
    if (options.addBos) {
        auto around = tokenizer.encode(utf8, AddSpecial::Yes, special);
        if (!around) {
            out.error = QString::fromStdString(around.error().toString());
            return out;
        }
        out.ids = std::move(*around);
    }
    out.nBytes = static_cast<qsizetype>(utf8.size());
    out.nCharacters = text.size() - std::count_if(text.begin(), text.end(),
                                                  [](QChar c) { return c.isLowSurrogate(); });
    for (const TokenId id : out.ids) {
        const bool isSpecial = tokenizer.isSpecial(id);
        out.nSpecial += isSpecial ? 1 : 0;
        if (out.shown.size() >= static_cast<std::size_t>(kMaxShownTokens)) continue;
        ShownToken token;
        token.id = id;
        token.bytes = tokenizer.tokenBytes(id);
        token.text = readablePiece(token.bytes);
        token.special = isSpecial;
        token.endsLine = token.bytes.find('\n') != std::string::npos;
        out.shown.push_back(std::move(token));
    }
    return out;
}

}  // namespace lanescope::app
