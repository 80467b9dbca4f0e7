// Stacks and switches, with what the sanitizers want to know of them.

#include "kernels/simt/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#include "kernels/simt/sanitizers.h"

namespace lanescope::kernels::simt {
namespace {

namespace context = boost::context::detail;

// Instrumented frames are several times the size.
constexpr std::size_t kStackBytes = (kAddressSanitizer ? 256 : 128) * 1024;

std::size_t pageBytes() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

// ThreadSanitizer: few threads more than this in all workers together are possible.
constexpr int kMinStacks = kThreadSanitizer ? 1024 : 1;

std::mutex g_poolMutex;
std::vector<std::unique_ptr<Stacks>>& pool() {
    static std::vector<std::unique_ptr<Stacks>> stacks;
    return stacks;
}

}  // namespace

Stacks::Stacks(int count)
    : m_stacks(static_cast<std::size_t>(count)), m_step(kStackBytes + pageBytes()) {
    void* base = mmap(nullptr, m_step * m_stacks.size(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) throw std::bad_alloc();  // NOLINT(performance-no-int-to-ptr)
    m_base = static_cast<char*>(base);
    char* guard = m_base;
    for (Stack& stack : m_stacks) {
        if (mprotect(guard, pageBytes(), PROT_NONE) != 0) throw std::bad_alloc();
        stack = {guard + pageBytes(), kStackBytes, nullptr};
        guard += m_step;
    }
}

Stacks::~Stacks() {
#if defined(SIMT_TSAN)
    for (Stack& stack : m_stacks)
        if (stack.thread != nullptr) __tsan_destroy_fiber(stack.thread);
#endif
    munmap(m_base, m_step * m_stacks.size());
}

std::span<Stack> Stacks::take(int nLanes) {
    if (m_next + nLanes > count()) m_next = 0;
    const std::span<Stack> taken = std::span(m_stacks).subspan(static_cast<std::size_t>(m_next),
                                                               static_cast<std::size_t>(nLanes));
    if (kThreadSanitizer) m_next += nLanes;
#if defined(__SANITIZE_ADDRESS__)
    // Frames of abandoned fibres left their red zones behind.
    for (const Stack& stack : taken) __asan_unpoison_memory_region(stack.bottom, stack.bytes);
#endif
    return taken;
}

std::unique_ptr<Stacks> borrowStacks(int count) {
    {
        const std::lock_guard lock(g_poolMutex);
        auto& stacks = pool();
        for (auto it = stacks.begin(); it != stacks.end(); ++it) {
            if ((*it)->count() < count) continue;
            auto found = std::move(*it);
            stacks.erase(it);
            return found;
        }
    }
    return std::make_unique<Stacks>(std::max(count, kMinStacks));
}

void returnStacks(std::unique_ptr<Stacks> stacks) {
    const std::lock_guard lock(g_poolMutex);
    pool().push_back(std::move(stacks));
}

void Fiber::retire([[maybe_unused]] void* tag, [[maybe_unused]] bool left) {
#if defined(SIMT_TSAN)
    void* scheduler = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(m_stack->thread, 1);
    __tsan_release(tag);
    __tsan_switch_to_fiber(scheduler, 1);
    if (left) return;
    // Abandoned in the middle of its functions: no thread to go on with, and its frames are not to
    // be seen as another's.
    __tsan_destroy_fiber(m_stack->thread);
    m_stack->thread = nullptr;
    munmap(m_stack->bottom, m_stack->bytes);
    mmap(m_stack->bottom, m_stack->bytes, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
#endif
}

void Fiber::start(Stack& stack, Entry entry, void* argument) {
    m_stack = &stack;
    m_entry = entry;
    m_argument = argument;
    m_self = context::make_fcontext(stack.bottom + stack.bytes, stack.bytes, &Fiber::trampoline);
#if defined(SIMT_TSAN)
    if (stack.thread == nullptr) stack.thread = __tsan_create_fiber(0);
#endif
}

void Fiber::trampoline(context::transfer_t transfer) {
    auto* self = static_cast<Fiber*>(transfer.data);
#if defined(__SANITIZE_ADDRESS__)
    const void* bottom = nullptr;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &self->m_schedulerStack.bytes);
    self->m_schedulerStack.bottom = static_cast<char*>(const_cast<void*>(bottom));
#endif
    self->m_scheduler = transfer.fctx;
    self->m_entry(self->m_argument);
    self->leave();
}

void Fiber::resume() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&m_schedulerFakeStack, m_stack->bottom, m_stack->bytes);
#endif
#if defined(SIMT_TSAN)
    m_schedulerThread = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(m_stack->thread, 1);  // 1: orders nothing
#endif
    m_self = context::jump_fcontext(m_self, this).fctx;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(m_schedulerFakeStack, nullptr, nullptr);
#endif
}

void Fiber::toScheduler([[maybe_unused]] bool forGood) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(forGood ? nullptr : &m_fakeStack, m_schedulerStack.bottom,
                                   m_schedulerStack.bytes);
#endif
#if defined(SIMT_TSAN)
    __tsan_switch_to_fiber(m_schedulerThread, 1);
#endif
    m_scheduler = context::jump_fcontext(m_scheduler, nullptr).fctx;
#if defined(__SANITIZE_ADDRESS__)
    const void* bottom = nullptr;
    __sanitizer_finish_switch_fiber(m_fakeStack, &bottom, &m_schedulerStack.bytes);
    m_schedulerStack.bottom = static_cast<char*>(const_cast<void*>(bottom));
#endif
}

void Fiber::suspend() {
    toScheduler(false);
}

void Fiber::leave() {
    toScheduler(true);
    std::abort();  // resumed after leaving: a bug of the scheduler
}

}  // namespace lanescope::kernels::simt
