#pragma once
// What a template may use up. A Budget counts work, nesting and live memory of one rendering;
// whoever goes over ends with a Failure that names the limit. Values charge themselves (see
// value.h).

#include <cstddef>
#include <cstdint>
#include <string>

namespace lanescope::jinja {

/// Thrown inside this folder only; ChatTemplate turns it into an Error.
struct Failure {
    std::string message;
    int line = 0;  ///< 0: not known yet
};

/// Generous for real conversations (a million tokens render far below), small for a hostile file.
struct Limits {
    std::uint64_t steps = 8'000'000;       ///< evaluated nodes, plus 1 per 128 bytes copied
    std::uint64_t iterations = 1'000'000;  ///< loop turns, all loops together
    int evalDepth = 1000;                  ///< nested statements and expressions, macros included
    int macroDepth = 200;
    std::size_t textBytes = std::size_t{32} << 20;     ///< one string
    std::size_t outputBytes = std::size_t{32} << 20;   ///< the rendered text
    std::size_t memoryBytes = std::size_t{192} << 20;  ///< live values
    std::int64_t timeNs = 10'000'000'000;              ///< last resort, should a step ever be slow
};

/// Nesting of one expression (a chain of n operators is n deep).
inline constexpr int kMaxExpressionDepth = 400;
/// Nested calls of the parser; an opening bracket takes four.
inline constexpr int kMaxParserDepth = 800;
/// Nesting of lists and dictionaries in values, input included.
inline constexpr int kMaxValueDepth = 100;
/// As the sandbox of the reference implementation.
inline constexpr std::int64_t kMaxRange = 100'000;
/// A template's source.
inline constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20;

/// One rendering's account. Not thread-safe: one rendering is one thread.
class Budget {
  public:
    explicit Budget(const Limits& limits);

    void step(std::uint64_t n = 1) {
        m_steps += n;
        if (m_steps >= m_nextCheck) checkSteps();
    }
    void copied(std::size_t bytes) { step(1 + bytes / 128); }
    void iteration();
    void charge(std::size_t bytes);
    void release(std::size_t bytes) { m_memory -= bytes; }
    void checkText(std::size_t bytes) const;
    [[nodiscard]] const Limits& limits() const { return m_limits; }

    int depth = 0;       ///< kept by DepthGuard
    int macroDepth = 0;  ///< kept by the macro call

  private:
    void checkSteps();

    Limits m_limits;
    std::uint64_t m_steps = 0;
    std::uint64_t m_nextCheck = 0;
    std::uint64_t m_iterations = 0;
    std::size_t m_memory = 0;
    std::int64_t m_startNs = 0;
};

/// The budget that values made on this thread are charged to; null while a template is parsed.
Budget* currentBudget();
/// Counts work on that many bytes or, roughly, bytes' worth of values.
void chargeWork(std::size_t bytes);

/// Makes a budget current for a scope.
class BudgetScope {
  public:
    explicit BudgetScope(Budget* budget);
    ~BudgetScope();
    BudgetScope(const BudgetScope&) = delete;
    BudgetScope& operator=(const BudgetScope&) = delete;

  private:
    Budget* m_previous;
};

/// Counts one level of nesting for as long as it lives.
class DepthGuard {
  public:
    explicit DepthGuard(Budget& budget);
    ~DepthGuard() { --m_budget.depth; }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;

  private:
    Budget& m_budget;
};

}  // namespace lanescope::jinja
