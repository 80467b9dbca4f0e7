#include "engine/text/tokenizer/sp_file.h"

#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "engine/text/utf8.h"

namespace lanescope::tokenizer {

namespace {

/// One field of a message. Which of the two is set depends on the wire type.
struct Field {
    std::uint32_t number = 0;
    std::uint64_t value = 0;  ///< varint, or the bits of a fixed-size number
    std::string_view bytes;   ///< length-delimited
};

/// Walks over the fields of one message.
class Wire {
  public:
    explicit Wire(std::string_view bytes) : m_bytes(bytes) {}

    [[nodiscard]] bool atEnd() const { return m_at >= m_bytes.size(); }
    [[nodiscard]] std::size_t offset() const { return m_at; }

    /// Nothing: the message is damaged at offset().
    std::optional<Field> next() {
        const auto tag = varint();
        if (!tag || (*tag >> 3) == 0 || (*tag >> 3) > 0x1FFFFFFF) return std::nullopt;
        Field field;
        field.number = static_cast<std::uint32_t>(*tag >> 3);
        switch (*tag & 7) {
            case 0: {
                const auto value = varint();
                if (!value) return std::nullopt;
                field.value = *value;
                return field;
            }
            case 1:
                return fixed(field, 8);
            case 2: {
                const auto length = varint();
                if (!length || *length > m_bytes.size() - m_at) return std::nullopt;
                field.bytes = m_bytes.substr(m_at, static_cast<std::size_t>(*length));
                m_at += field.bytes.size();
                return field;
            }
            case 5:
                return fixed(field, 4);
            default:
                return std::nullopt;
        }
    }

  private:
    std::optional<std::uint64_t> varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && m_at < m_bytes.size(); shift += 7) {
            const auto byte = static_cast<unsigned char>(m_bytes[m_at++]);
            value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
            if (byte < 0x80) return value;
        }
        return std::nullopt;
    }

    std::optional<Field> fixed(Field field, std::size_t size) {
        if (m_bytes.size() - m_at < size) return std::nullopt;
        std::memcpy(&field.value, m_bytes.data() + m_at, size);  // both ends little-endian
        m_at += size;
        return field;
    }

    std::string_view m_bytes;
    std::size_t m_at = 0;
};

/// Calls onField for each field. Errors: where the message is damaged.
template <class Fn>
Result<void> forEachField(std::string_view message, const char* what, Fn&& onField) {
    Wire wire(message);
    while (!wire.atEnd()) {
        const auto field = wire.next();
        if (!field) {
            return badInput(std::string("is no SentencePiece model, or damaged: ") + what +
                            " ends in the middle of a field at byte " +
                            std::to_string(wire.offset()) + " of " +
                            std::to_string(message.size()));
        }
        const Result<void> done = onField(*field);
        if (!done) return done;
    }
    return {};
}

// Field numbers are those of sentencepiece_model.proto.
class Reader {
  public:
    Result<SpFile> read(std::string_view bytes) {
        const auto done = forEachField(bytes, "the file", [&](const Field& field) {
            if (field.number == 1) return readPiece(field.bytes);
            if (field.number == 2) return readTrainer(field.bytes);
            if (field.number == 3) return readNormalizer(field.bytes);
            return Result<void>();
        });
        if (!done) return done.error();
        const auto finished = finish();
        if (!finished) return finished.error();
        return std::move(m_file);
    }

  private:
    Result<void> readPiece(std::string_view message) {
        auto& vocabulary = m_file.vocabulary;
        const std::size_t id = vocabulary.pieces.size();
        if (static_cast<std::int64_t>(id) >= kMaxVocabSize) {
            return badInput("has more than " + std::to_string(kMaxVocabSize) + " pieces");
        }
        std::string_view text;
        float score = 0;
        std::uint64_t type = 1;
        const auto done = forEachField(message, "a piece", [&](const Field& field) {
            if (field.number == 1) text = field.bytes;
            if (field.number == 2) {
                score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
            }
            if (field.number == 3) type = field.value;
            return Result<void>();
        });
        if (!done) return done;
        if (text.empty() || !utf8::isValid(text)) {
            return badInput("piece " + std::to_string(id) +
                            (text.empty() ? " is empty" : " is not UTF-8"));
        }
        if (type < 1 || type > 6) {
            return badInput("piece " + std::to_string(id) + " is of the unknown type " +
                            std::to_string(type));
        }
        vocabulary.pieces.push_back(text);
        vocabulary.scores.push_back(score);
        vocabulary.types.push_back(static_cast<SpType>(type));
        return {};
    }

    Result<void> readTrainer(std::string_view message) {
        return forEachField(message, "the trainer's part", [&](const Field& field) {
            switch (field.number) {
                case 3:
                    return setKind(field.value);
                case 24:
                    m_file.vocabulary.normalizer.prefixIsSuffix = field.value != 0;
                    break;
                case 35:
                    m_file.vocabulary.byteFallback = field.value != 0;
                    break;
                case 41:
                    m_bosId = static_cast<std::int32_t>(field.value);
                    break;
                case 42:
                    m_eosId = static_cast<std::int32_t>(field.value);
                    break;
                case 43:
                    m_padId = static_cast<std::int32_t>(field.value);
                    break;
                case 44:
                    m_file.vocabulary.unkSurface = std::string(field.bytes);
                    break;
                default:
                    break;
            }
            return Result<void>();
        });
    }

    Result<void> setKind(std::uint64_t type) {
        if (type == 1) m_file.vocabulary.kind = SpVocabulary::Kind::Unigram;
        if (type == 2) m_file.vocabulary.kind = SpVocabulary::Kind::Bpe;
        if (type == 1 || type == 2) return {};
        return unsupported("SentencePiece models of kind " +
                               (type == 3   ? std::string("\"word\"")
                                : type == 4 ? std::string("\"char\"")
                                            : std::to_string(type)) +
                               " are not supported",
                           {}, "use a BPE or unigram model");
    }

    Result<void> readNormalizer(std::string_view message) {
        auto& options = m_file.vocabulary.normalizer;
        return forEachField(message, "the normaliser's part", [&](const Field& field) {
            switch (field.number) {
                case 2:
                    if (!field.bytes.empty()) {
                        auto map = Charsmap::parse(field.bytes);
                        if (!map) return Result<void>(map.error());
                        options.charsmap = std::move(*map);
                    }
                    break;
                case 3:
                    options.addPrefix = field.value != 0;
                    break;
                case 4:
                    options.removeExtraSpaces = field.value != 0;
                    break;
                case 5:
                    options.escapeSpaces = field.value != 0;
                    break;
                default:
                    break;
            }
            return Result<void>();
        });
    }

    /// The ids the trainer was given count only where the piece there is what they say.
    Result<void> finish() {
        auto& vocabulary = m_file.vocabulary;
        if (vocabulary.pieces.empty()) return badInput("is no SentencePiece model: no pieces");
        for (std::size_t id = 0; id < vocabulary.pieces.size(); ++id) {
            if (vocabulary.types[id] != SpType::Unknown) continue;
            if (vocabulary.unkId >= 0) return badInput("has two unknown tokens");
            vocabulary.unkId = static_cast<TokenId>(id);
        }
        if (vocabulary.unkId < 0) return badInput("has no unknown token");
        m_file.bosId = controlAt(m_bosId, "<s>");
        m_file.eosId = controlAt(m_eosId, "</s>");
        m_file.padId = controlAt(m_padId, "<pad>");
        return {};
    }

    [[nodiscard]] TokenId controlAt(std::int32_t id, std::string_view name) const {
        const auto& vocabulary = m_file.vocabulary;
        const auto isControl = [&](std::size_t at) {
            return at < vocabulary.types.size() && vocabulary.types[at] == SpType::Control;
        };
        if (id >= 0 && isControl(static_cast<std::size_t>(id))) return id;
        for (std::size_t at = 0; at < vocabulary.pieces.size() && id >= 0; ++at) {
            if (vocabulary.pieces[at] == name && isControl(at)) return static_cast<TokenId>(at);
        }
        return -1;
    }

    SpFile m_file = [] {
        SpFile file;
        // The schema's defaults, for fields a file leaves out.
        file.vocabulary.kind = SpVocabulary::Kind::Unigram;
        file.vocabulary.byteFallback = false;
        file.vocabulary.unkSurface = " \xE2\x81\x87 ";
        file.vocabulary.normalizer.removeExtraSpaces = true;
        return file;
    }();
    std::int32_t m_bosId = 1;
    std::int32_t m_eosId = 2;
    std::int32_t m_padId = -1;
};

}  // namespace

Result<SpFile> parseSpFile(std::string_view bytes) {
    return Reader().read(bytes);
}

}  // namespace lanescope::tokenizer
