#pragma once
// A list that grows at its end and is cheap to copy: copies share fixed-size chunks, and appending
// never disturbs a copy taken before. That is what makes a snapshot with a million spans cost a few
// hundred pointers. Read it like a vector; change it with push_back, replace and truncate.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace lanescope::profiler {

/// Value semantics. One list belongs to one thread; copies of it may be read on any other thread.
template <class T, std::size_t kChunkItems>
class SharedList {
    struct Chunk {
        std::unique_ptr<T[]> items = std::make_unique<T[]>(kChunkItems);
        std::atomic<std::size_t> used{0};  ///< slots taken by whichever list appended furthest
    };

  public:
    static constexpr std::size_t kItemsPerChunk = kChunkItems;
    using value_type = T;
    using size_type = std::size_t;
    using const_reference = const T&;

    class const_iterator {
      public:
        using iterator_category = std::random_access_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = const T*;
        using reference = const T&;

        const_iterator() = default;
        const_iterator(const SharedList* list, std::size_t index) : m_list(list), m_index(index) {}
        reference operator*() const { return (*m_list)[m_index]; }
        pointer operator->() const { return &(*m_list)[m_index]; }
        reference operator[](difference_type n) const { return *(*this + n); }
        const_iterator& operator++() { return *this += 1; }
        const_iterator operator++(int) { return std::exchange(*this, *this + 1); }
        const_iterator& operator--() { return *this -= 1; }
        const_iterator operator--(int) { return std::exchange(*this, *this - 1); }
        const_iterator& operator+=(difference_type n) {
            m_index = static_cast<std::size_t>(static_cast<difference_type>(m_index) + n);
            return *this;
        }
        const_iterator& operator-=(difference_type n) { return *this += -n; }
        friend const_iterator operator+(const_iterator it, difference_type n) { return it += n; }
        friend const_iterator operator+(difference_type n, const_iterator it) { return it += n; }
        friend const_iterator operator-(const_iterator it, difference_type n) { return it -= n; }
        friend difference_type operator-(const_iterator a, const_iterator b) {
            return static_cast<difference_type>(a.m_index) -
                   static_cast<difference_type>(b.m_index);
        }
        friend bool operator==(const_iterator a, const_iterator b) {
            return a.m_index == b.m_index;
        }
        friend auto operator<=>(const_iterator a, const_iterator b) {
            return a.m_index <=> b.m_index;
        }

      private:
        const SharedList* m_list = nullptr;
        std::size_t m_index = 0;
    };
    using iterator = const_iterator;

    SharedList() = default;
    SharedList(std::initializer_list<T> items) {
        for (const T& item : items) push_back(item);
    }

    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] bool empty() const { return m_size == 0; }
    const T& operator[](std::size_t i) const {
        return m_chunks[i / kChunkItems]->items[i % kChunkItems];
    }
    [[nodiscard]] const T& front() const { return (*this)[0]; }
    [[nodiscard]] const T& back() const { return (*this)[m_size - 1]; }
    [[nodiscard]] const_iterator begin() const { return {this, 0}; }
    [[nodiscard]] const_iterator end() const { return {this, m_size}; }

    void push_back(T item) {
        const std::size_t slot = m_size % kChunkItems;
        if (slot == 0) {
            m_chunks.push_back(std::make_shared<Chunk>());
        }
        std::size_t expected = slot;
        if (!m_chunks.back()->used.compare_exchange_strong(expected, slot + 1)) {
            // A copy of this list appended here first: go on in a chunk of our own.
            m_chunks.back() = cloned(*m_chunks.back(), slot);
            m_chunks.back()->used = slot + 1;
        }
        m_chunks.back()->items[slot] = std::move(item);
        ++m_size;
    }

    /// A place to change one element; copies taken before keep the old value.
    T& edit(std::size_t i) {
        auto& chunk = m_chunks[i / kChunkItems];
        const std::size_t n = std::min(kChunkItems, m_size - i / kChunkItems * kChunkItems);
        chunk = cloned(*chunk, n);
        return chunk->items[i % kChunkItems];
    }

    /// Sets one element; copies taken before keep the old value.
    void replace(std::size_t i, T item) {
        if constexpr (kChunkItems == 1) {
            auto fresh = std::make_shared<Chunk>();
            fresh->items[0] = std::move(item);
            fresh->used = 1;
            m_chunks[i] = std::move(fresh);
        } else {
            edit(i) = std::move(item);
        }
    }

    /// Drops everything from position n on.
    void truncate(std::size_t n) {
        if (n >= m_size) return;
        m_size = n;
        m_chunks.resize((n + kChunkItems - 1) / kChunkItems);
    }
    void clear() { truncate(0); }

    [[nodiscard]] std::size_t chunkCount() const { return m_chunks.size(); }
    /// True when chunk i of both lists is the same memory with the same number of elements, so that
    /// whoever saved one has saved the other.
    [[nodiscard]] bool sharesChunk(const SharedList& other, std::size_t i) const {
        return i < m_chunks.size() && i < other.m_chunks.size() &&
               m_chunks[i] == other.m_chunks[i] && itemsIn(i) == other.itemsIn(i);
    }
    [[nodiscard]] std::size_t itemsIn(std::size_t chunk) const {
        return std::min(kChunkItems, m_size - chunk * kChunkItems);
    }

  private:
    static std::shared_ptr<Chunk> cloned(const Chunk& from, std::size_t n) {
        auto fresh = std::make_shared<Chunk>();
        std::copy_n(from.items.get(), n, fresh->items.get());
        fresh->used = n;
        return fresh;
    }

    std::vector<std::shared_ptr<Chunk>> m_chunks;
    std::size_t m_size = 0;
};

}  // namespace lanescope::profiler
