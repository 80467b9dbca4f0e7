#pragma once
// A lane's own stack and the switch to it and back (Boost.Context's assembly: a few nanoseconds, no
// system call). A fibre is abandoned by simply not resuming it: device code owns nothing.

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <memory>

namespace lanescope::kernels::simt {

struct StackView {
    char* bottom = nullptr;  ///< lowest address
    std::size_t bytes = 0;
};

/// One mapping cut into stacks with an inaccessible page below each.
class Stacks {
  public:
    explicit Stacks(int count);
    ~Stacks();
    Stacks(const Stacks&) = delete;
    Stacks& operator=(const Stacks&) = delete;

    [[nodiscard]] int count() const { return m_count; }
    [[nodiscard]] StackView at(int i) const;
    /// Makes the first stacks fit for the fibres of another block: forgets what sanitizers noted
    /// of those that ran here before.
    void renew(int used);

  private:
    int m_count;
    std::size_t m_step = 0;  ///< bytes from one stack to the next, guard page included
    char* m_base = nullptr;
};

/// Stacks of earlier launches, reused. Any thread.
std::unique_ptr<Stacks> borrowStacks(int count);
void returnStacks(std::unique_ptr<Stacks> stacks);

class Fiber {
  public:
    using Entry = void (*)(void* argument);

    Fiber() = default;
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Prepares entry(argument) to run on the first resume(). The entry ends with leave().
    void start(StackView stack, Entry entry, void* argument);
    /// Runs the fibre until it suspends or leaves. Called by the scheduler.
    void resume();
    /// Goes back to the scheduler. Called inside the fibre.
    void suspend();
    /// The same, never to come back.
    [[noreturn]] void leave();
    /// Ends the fibre, wherever it is, for ThreadSanitizer: what it did happens before what follows
    /// a happensAfter of the tag. Called by the scheduler.
    void retire(void* tag);

  private:
    static void trampoline(boost::context::detail::transfer_t transfer);
    void toScheduler(bool forGood);

    boost::context::detail::fcontext_t m_self = nullptr;
    boost::context::detail::fcontext_t m_scheduler = nullptr;
    Entry m_entry = nullptr;
    void* m_argument = nullptr;
    StackView m_stack;
    StackView m_schedulerStack;
    void* m_fakeStack = nullptr;           // AddressSanitizer's
    void* m_schedulerFakeStack = nullptr;  // AddressSanitizer's
    void* m_thread = nullptr;              // ThreadSanitizer's
    void* m_schedulerThread = nullptr;     // ThreadSanitizer's
};

}  // namespace lanescope::kernels::simt
