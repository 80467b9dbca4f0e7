#include "profiler/import/trace_events.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace lanescope::profiler {

namespace {

constexpr double kMaxNs = 2.3e18;  // a quarter of what 64 bits hold: sums cannot overflow

std::optional<std::int64_t> fromDouble(double micros) {
    const double ns = micros * 1e3;
    if (!(std::abs(ns) < kMaxNs)) return std::nullopt;
    return static_cast<std::int64_t>(std::llround(ns));
}

class TraceSax : public nlohmann::json_sax<nlohmann::json> {
  public:
    TraceSax(int maxDepth, const std::function<bool(RawEvent&)>& take, EventStream& result)
        : m_maxDepth(maxDepth), m_take(take), m_result(result) {}

    bool null() override { return ended(); }
    bool boolean(bool) override { return ended(); }
    bool number_integer(number_integer_t value) override {
        integer(value);
        return ended();
    }
    bool number_unsigned(number_unsigned_t value) override {
        integer(value > static_cast<number_unsigned_t>(INT64_MAX)
                    ? INT64_MAX
                    : static_cast<std::int64_t>(value));
        return ended();
    }
    bool number_float(number_float_t value, const string_t& text) override {
        if (inEvent()) {
            time(text, value);
            if (m_key == "pid" || m_key == "tid") id(text);
        } else if (inArgs()) {
            if (m_key == "est. achieved occupancy %" || m_key == "occupancy %")
                m_event.occupancyPercent = value;
            else if (m_key == "theoreticalOccupancy")  // as we write it: 0 … 1
                m_event.occupancyPercent = 100.0 * value;
            else if (std::abs(value) < 9e15)
                number(static_cast<std::int64_t>(value));
        }
        return ended();
    }
    bool string(string_t& value) override {
        if (inEvent()) {
            if (m_key == "ph")
                m_event.phase = std::move(value);
            else if (m_key == "name")
                m_event.name = std::move(value);
            else if (m_key == "cat")
                m_event.category = std::move(value);
            else if (m_key == "pid" || m_key == "tid")
                id(value);
            else
                time(value, std::nullopt);
        } else if (inArgs() && m_key == "name") {
            m_event.argName = std::move(value);
        }
        return ended();
    }
    bool binary(binary_t&) override { return ended(); }
    bool start_object(std::size_t) override {
        if (m_listDepth > 0 && m_depth == m_listDepth) m_event = RawEvent{};
        if (m_listDepth > 0 && m_depth == m_listDepth + 1) m_inArgs = m_key == "args";
        return deeper();
    }
    bool key(string_t& value) override {
        m_key = std::move(value);
        return true;
    }
    bool end_object() override {
        --m_depth;
        if (m_listDepth == 0) return true;
        if (m_depth == m_listDepth + 1) m_inArgs = false;
        if (m_depth != m_listDepth) return true;
        if (m_take(m_event)) return true;
        m_stopped = true;
        return false;
    }
    bool start_array(std::size_t) override {
        const bool list = m_listDepth == 0 && !m_result.foundList &&
                          (m_depth == 0 || (m_depth == 1 && m_key == "traceEvents"));
        if (list) {
            m_result.foundList = true;
            m_listDepth = m_depth + 1;
        }
        return deeper();
    }
    bool end_array() override {
        if (m_depth == m_listDepth) m_listDepth = 0;
        --m_depth;
        return true;
    }
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception& error) override {
        m_result.atByte = position;
        m_result.problem = error.what();
        // Without the library's own mark: "[json.exception.parse_error.101] parse error at …: ".
        if (const auto end = m_result.problem.find(": "); end != std::string::npos)
            m_result.problem.erase(0, end + 2);
        return false;
    }
    [[nodiscard]] bool stopped() const { return m_stopped; }

  private:
    [[nodiscard]] bool inEvent() const { return m_listDepth > 0 && m_depth == m_listDepth + 1; }
    [[nodiscard]] bool inArgs() const {
        return m_listDepth > 0 && m_inArgs && m_depth == m_listDepth + 2;
    }
    bool ended() { return true; }
    bool deeper() {
        if (++m_depth <= m_maxDepth) return true;
        m_result.problem = "nested deeper than " + std::to_string(m_maxDepth) + " levels";
        return false;
    }
    void id(std::string text) { (m_key == "pid" ? m_event.pid : m_event.tid) = std::move(text); }
    void time(std::string_view text, std::optional<double> value) {
        if (m_key != "ts" && m_key != "dur") return;
        auto ns = microsToNs(text);
        if (!ns && value) ns = fromDouble(*value);
        if (!ns) m_event.badNumber = true;
        (m_key == "ts" ? m_event.tNs : m_event.durationNs) = ns;
    }
    void integer(std::int64_t value) {
        if (inEvent()) {
            if (m_key == "ts" || m_key == "dur")
                time(std::to_string(value), std::nullopt);
            else if (m_key == "pid" || m_key == "tid")
                id(std::to_string(value));
        } else if (inArgs()) {
            number(value);
        }
    }
    void number(std::int64_t value) {
        static constexpr std::array<std::pair<std::string_view, std::int64_t RawEvent::*>, 9>
            kFields{{{"sort_index", &RawEvent::sortIndex},
                     {"correlation", &RawEvent::correlation},
                     {"External id", &RawEvent::externalId},
                     {"bytes", &RawEvent::bytes},
                     {"flops", &RawEvent::flops},
                     {"layer", &RawEvent::layer},
                     {"step", &RawEvent::step},
                     {"request", &RawEvent::request},
                     {"external id", &RawEvent::externalId}}};
        for (const auto& [key, field] : kFields)
            if (m_key == key) m_event.*field = value;
        if (m_key == "est. achieved occupancy %" || m_key == "occupancy %")
            m_event.occupancyPercent = static_cast<double>(value);
    }

    int m_maxDepth;
    const std::function<bool(RawEvent&)>& m_take;
    EventStream& m_result;
    RawEvent m_event;
    std::string m_key;
    int m_depth = 0;
    int m_listDepth = 0;  ///< depth inside the list of events; 0: not in it
    bool m_inArgs = false;
    bool m_stopped = false;
};

}  // namespace

std::optional<std::int64_t> microsToNs(std::string_view text) {
    // Digits exactly: a double of microseconds since 1970 has no nanoseconds left.
    const bool negative = text.starts_with('-');
    const std::string_view digits = text.substr(negative ? 1 : 0);
    const std::size_t dot = std::min(digits.find('.'), digits.size());
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + dot, whole);
    if (dot == 0 || error != std::errc() || end != digits.data() + dot || whole < 0) {
        double value = 0.0;
        const auto [last, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (text.empty() || bad != std::errc() || last != text.data() + text.size())
            return std::nullopt;
        return fromDouble(value);
    }
    std::int64_t fraction = 0, unit = 100;
    for (std::size_t i = dot + 1; i < digits.size(); ++i) {
        if (digits[i] == 'e' || digits[i] == 'E') {
            double value = 0.0;
            const auto [last, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (bad != std::errc() || last != text.data() + text.size()) return std::nullopt;
            return fromDouble(value);
        }
        if (digits[i] < '0' || digits[i] > '9') return std::nullopt;
        fraction += (digits[i] - '0') * unit;
        unit /= 10;
    }
    if (static_cast<double>(whole) * 1e3 > kMaxNs) return std::nullopt;
    const std::int64_t ns = whole * 1000 + fraction;
    return negative ? -ns : ns;
}

EventStream readTraceEvents(std::istream& in, int maxDepth,
                            const std::function<bool(RawEvent&)>& take) {
    EventStream result;
    TraceSax sax(maxDepth, take, result);
    const bool good = nlohmann::json::sax_parse(in, &sax);
    result.complete = good || sax.stopped();
    return result;
}

}  // namespace lanescope::profiler
