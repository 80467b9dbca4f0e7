#include "engine/checkpoint/safetensors_header.h"

#include <nlohmann/json.hpp>
#include <unordered_set>

#include "engine/checkpoint/tensor_size.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxDims = 8;

/// What nlohmann's parser calls for each token. Returning false ends the parse; m_error says why.
class HeaderHandler : public nlohmann::json_sax<nlohmann::json> {
  public:
    std::vector<SafetensorsEntry> entries;
    std::string error;

    bool null() override { return wrongValue("null"); }
    bool boolean(bool) override { return wrongValue("a boolean"); }
    bool number_integer(number_integer_t value) override {
        return wrongNumber(std::to_string(value));
    }
    bool number_unsigned(number_unsigned_t value) override;
    bool number_float(number_float_t, const string_t& text) override {
        return wrongNumber(text + ", not a whole number of 64 bits");
    }
    bool string(string_t& text) override;
    bool binary(binary_t&) override { return wrongValue("binary data"); }
    bool key(string_t& name) override;
    bool start_object(std::size_t) override;
    bool end_object() override;
    bool start_array(std::size_t) override;
    bool end_array() override;
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception& e) override {
        std::string what = e.what();
        if (const auto bracket = what.find("] "); bracket != std::string::npos) {
            what = what.substr(bracket + 2);
        }
        // What was read last may be anything; the position says enough.
        if (const auto end = what.find("; last read"); end != std::string::npos) what.resize(end);
        return fail("invalid JSON at byte " + std::to_string(position) + ": " + what);
    }

  private:
    enum class State {
        Start,
        Top,
        Metadata,
        Tensor,
        Dtype,
        Shape,
        Offsets,
        InShape,
        InOffsets,
        Done
    };

    bool fail(std::string message) {
        error = std::move(message);
        return false;
    }
    [[nodiscard]] bool inTensor() const {
        return m_state == State::Tensor || m_state == State::Dtype || m_state == State::Shape ||
               m_state == State::Offsets || m_state == State::InShape ||
               m_state == State::InOffsets;
    }
    bool failTensor(const std::string& message) {
        return fail("tensor " + inQuotes(m_entry.name) + ": " + message);
    }
    bool wrongValue(const std::string& found);
    bool wrongNumber(const std::string& text);

    State m_state = State::Start;
    SafetensorsEntry m_entry;
    std::vector<std::uint64_t> m_offsets;
    bool m_hasDtype = false;
    bool m_hasShape = false;
    bool m_hasOffsets = false;
    std::unordered_set<std::string> m_names;
};

bool HeaderHandler::wrongValue(const std::string& found) {
    switch (m_state) {
        case State::Dtype:
            return failTensor("dtype is " + found + ", a text was expected");
        case State::Shape:
            return failTensor("shape is " + found + ", a list of sizes was expected");
        case State::InShape:
            return failTensor("shape holds " + found + ", whole numbers were expected");
        case State::Offsets:
        case State::InOffsets:
            return failTensor("data_offsets must be two whole numbers, found " + found);
        case State::Metadata:
            return fail("__metadata__ holds " + found + ", only texts are allowed");
        case State::Top:
            return fail("the entry " + inQuotes(m_entry.name) + " is " + found +
                        ", an object was expected");
        default:
            return fail("the header is " + found + ", a JSON object was expected");
    }
}

bool HeaderHandler::wrongNumber(const std::string& text) {
    if (m_state == State::InShape) {
        return failTensor("shape holds the invalid size " + text);
    }
    if (m_state == State::InOffsets) {
        return failTensor("data_offsets hold the invalid number " + text);
    }
    return wrongValue("the number " + text);
}

bool HeaderHandler::number_unsigned(number_unsigned_t value) {
    if (m_state == State::InShape) {
        if (value > static_cast<std::uint64_t>(INT64_MAX)) {
            return wrongNumber(std::to_string(value));
        }
        if (m_entry.shape.size() == kMaxDims) {
            return failTensor("shape has more than " + std::to_string(kMaxDims) + " dimensions");
        }
        m_entry.shape.push_back(static_cast<std::int64_t>(value));
        return true;
    }
    if (m_state == State::InOffsets) {
        if (m_offsets.size() == 2)
            return failTensor("data_offsets must be two numbers, found more");
        m_offsets.push_back(value);
        return true;
    }
    return wrongValue("the number " + std::to_string(value));
}

bool HeaderHandler::string(string_t& text) {
    if (m_state == State::Dtype) {
        m_entry.dtype = std::move(text);
        m_hasDtype = true;
        m_state = State::Tensor;
        return true;
    }
    if (m_state == State::Metadata) return true;
    return wrongValue("the text " + inQuotes(text));
}

bool HeaderHandler::key(string_t& name) {
    if (m_state == State::Top) {
        if (!m_names.insert(name).second)
            return fail("the name " + inQuotes(name) + " is there twice");
        m_entry = SafetensorsEntry{};
        m_entry.name = std::move(name);
        m_offsets.clear();
        m_hasDtype = m_hasShape = m_hasOffsets = false;
        return true;
    }
    if (m_state == State::Metadata) return true;
    bool* seen = nullptr;
    if (name == "dtype") {
        seen = &m_hasDtype;
        m_state = State::Dtype;
    } else if (name == "shape") {
        seen = &m_hasShape;
        m_state = State::Shape;
    } else if (name == "data_offsets") {
        seen = &m_hasOffsets;
        m_state = State::Offsets;
    } else {
        return failTensor("unknown field " + inQuotes(name));
    }
    return !*seen || failTensor(name + " is there twice, the header is invalid");
}

bool HeaderHandler::start_object(std::size_t) {
    if (m_state == State::Start) {
        m_state = State::Top;
        return true;
    }
    if (m_state == State::Top) {
        m_state = m_entry.name == "__metadata__" ? State::Metadata : State::Tensor;
        return true;
    }
    return wrongValue("an object");
}

bool HeaderHandler::end_object() {
    if (m_state == State::Top) {
        m_state = State::Done;
        return true;
    }
    if (m_state == State::Tensor) {
        if (!m_hasDtype || !m_hasShape || !m_hasOffsets) {
            return failTensor("dtype, shape or data_offsets are not stated, the header is invalid");
        }
        entries.push_back(std::move(m_entry));
    }
    m_state = State::Top;
    return true;
}

bool HeaderHandler::start_array(std::size_t) {
    if (m_state == State::Shape) {
        m_state = State::InShape;
        return true;
    }
    if (m_state == State::Offsets) {
        m_state = State::InOffsets;
        return true;
    }
    return wrongValue("a list");
}

bool HeaderHandler::end_array() {
    if (m_state == State::InOffsets) {
        if (m_offsets.size() != 2) {
            return failTensor("data_offsets must be two numbers, found " +
                              std::to_string(m_offsets.size()));
        }
        m_entry.begin = m_offsets[0];
        m_entry.end = m_offsets[1];
        m_hasOffsets = true;
    } else {
        m_hasShape = true;
    }
    m_state = State::Tensor;
    return true;
}

}  // namespace

Result<std::vector<SafetensorsEntry>> parseSafetensorsHeader(std::string_view json,
                                                             const std::string& path) {
    HeaderHandler handler;
    bool ok = false;
    try {
        ok = nlohmann::json::sax_parse(json, &handler);
    } catch (const nlohmann::json::exception& e) {
        handler.error = e.what();
    }
    if (!ok) {
        return badInput("has an invalid header: " + handler.error, path,
                        "download or convert it again");
    }
    return std::move(handler.entries);
}

}  // namespace lanescope
