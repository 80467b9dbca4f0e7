// Typed look-ups in GGUF metadata, and small accessors of the checkpoint's value types.

#include <limits>

#include "engine/checkpoint/checkpoint.h"

namespace lanescope {

namespace {

template <class T>
const T* as(const MetaValue* value) {
    return value != nullptr ? std::get_if<T>(value) : nullptr;
}

}  // namespace

std::int64_t TensorView::nElements() const {
    std::int64_t n = 1;
    for (const std::int64_t d : shape) n *= d;
    return n;
}

const MetaValue* Metadata::find(std::string_view key) const {
    const auto it = m_index.find(std::string(key));
    return it != m_index.end() ? &m_items[it->second].second : nullptr;
}

std::optional<std::int64_t> Metadata::integer(std::string_view key) const {
    const MetaValue* value = find(key);
    if (const auto* i = as<std::int64_t>(value)) return *i;
    if (const auto* u = as<std::uint64_t>(value)) {
        if (*u <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
            return static_cast<std::int64_t>(*u);
        }
    }
    return std::nullopt;
}

std::optional<double> Metadata::number(std::string_view key) const {
    const MetaValue* value = find(key);
    if (const auto* d = as<double>(value)) return *d;
    if (const auto* i = as<std::int64_t>(value)) return static_cast<double>(*i);
    if (const auto* u = as<std::uint64_t>(value)) return static_cast<double>(*u);
    return std::nullopt;
}

std::optional<bool> Metadata::boolean(std::string_view key) const {
    const auto* b = as<bool>(find(key));
    return b != nullptr ? std::optional<bool>(*b) : std::nullopt;
}

std::optional<std::string_view> Metadata::text(std::string_view key) const {
    const auto* s = as<std::string_view>(find(key));
    return s != nullptr ? std::optional<std::string_view>(*s) : std::nullopt;
}

const std::vector<std::string_view>* Metadata::strings(std::string_view key) const {
    return as<std::vector<std::string_view>>(find(key));
}

const std::vector<std::int64_t>* Metadata::integers(std::string_view key) const {
    return as<std::vector<std::int64_t>>(find(key));
}

const std::vector<double>* Metadata::numbers(std::string_view key) const {
    return as<std::vector<double>>(find(key));
}

void Metadata::add(std::string key, MetaValue value, std::string_view stored) {
    m_stored.push_back(stored);
    m_index.emplace(key, m_items.size());
    m_items.emplace_back(std::move(key), std::move(value));
}

}  // namespace lanescope
