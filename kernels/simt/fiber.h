#pragma once
// A lane's own stack and the switch to it and back (Boost.Context's assembly: a few nanoseconds, no
// system call). A fibre is abandoned by simply not resuming it: device code owns nothing.

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace lanescope::kernels::simt {

/// A stack, and the thread that ThreadSanitizer takes its fibres for.
struct Stack {
    char* bottom = nullptr;  ///< lowest address
    std::size_t bytes = 0;
    void* thread = nullptr;  ///< null until a fibre ran here, and in other builds
};

/// One mapping cut into stacks with an inaccessible page below each. One block at a time.
class Stacks {
  public:
    explicit Stacks(int count);
    ~Stacks();
    Stacks(const Stacks&) = delete;
    Stacks& operator=(const Stacks&) = delete;

    [[nodiscard]] int count() const { return static_cast<int>(m_stacks.size()); }
    /// Stacks for a block's lanes. ThreadSanitizer: others than the last blocks had, so that lanes
    /// of different blocks are different threads to it (making new ones takes far longer).
    std::span<Stack> take(int nLanes);

  private:
    std::vector<Stack> m_stacks;
    std::size_t m_step = 0;  ///< bytes from one stack to the next, guard page included
    char* m_base = nullptr;
    int m_next = 0;
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
    void start(Stack& stack, Entry entry, void* argument);
    /// Runs the fibre until it suspends or leaves. Called by the scheduler.
    void resume();
    /// Goes back to the scheduler. Called inside the fibre.
    void suspend();
    /// The same, never to come back.
    [[noreturn]] void leave();
    /// Ends the fibre, wherever it is, for ThreadSanitizer: what it did happens before what follows
    /// a happensAfter of the tag. `left`: it ended with leave(). Called by the scheduler.
    void retire(void* tag, bool left);

  private:
    static void trampoline(boost::context::detail::transfer_t transfer);
    void toScheduler(bool forGood);

    boost::context::detail::fcontext_t m_self = nullptr;
    boost::context::detail::fcontext_t m_scheduler = nullptr;
    Entry m_entry = nullptr;
    void* m_argument = nullptr;
    Stack* m_stack = nullptr;
    Stack m_schedulerStack;
    void* m_fakeStack = nullptr;           // AddressSanitizer's
    void* m_schedulerFakeStack = nullptr;  // AddressSanitizer's
    void* m_schedulerThread = nullptr;     // ThreadSanitizer's
};

}  // namespace lanescope::kernels::simt
