// Stacks and switches, with what the sanitizers want to know of them.

#include "kernels/simt/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

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

void* mapped(void* where, std::size_t bytes) {
    const int fixed = where != nullptr ? MAP_FIXED : 0;
    void* base = mmap(where, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
    if (base == MAP_FAILED) throw std::bad_alloc();  // NOLINT(performance-no-int-to-ptr)
    return base;
}

std::mutex g_poolMutex;
std::vector<std::unique_ptr<Stacks>>& pool() {
    static std::vector<std::unique_ptr<Stacks>> stacks;
    return stacks;
}

}  // namespace

Stacks::Stacks(int count) : m_count(count), m_step(kStackBytes + pageBytes()) {
    m_base = static_cast<char*>(mapped(nullptr, m_step * static_cast<std::size_t>(count)));
    for (int i = 0; i < m_count; ++i)
        if (mprotect(m_base + m_step * static_cast<std::size_t>(i), pageBytes(), PROT_NONE) != 0)
            throw std::bad_alloc();
}

Stacks::~Stacks() {
    munmap(m_base, m_step * static_cast<std::size_t>(m_count));
}

StackView Stacks::at(int i) const {
    return {m_base + m_step * static_cast<std::size_t>(i) + pageBytes(), kStackBytes};
}

void Stacks::renew(int used) {
    for (int i = 0; i < used; ++i) {
#if defined(__SANITIZE_ADDRESS__)
        // Frames of abandoned fibres left their red zones behind.
        __asan_unpoison_memory_region(at(i).bottom, at(i).bytes);
#endif
        // A new mapping is new memory to the tool; otherwise lanes of two blocks seem to race.
        if (kThreadSanitizer) mapped(at(i).bottom, at(i).bytes);
    }
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
    return std::make_unique<Stacks>(count);
}

void returnStacks(std::unique_ptr<Stacks> stacks) {
    const std::lock_guard lock(g_poolMutex);
    pool().push_back(std::move(stacks));
}

void Fiber::retire([[maybe_unused]] void* tag) {
#if defined(SIMT_TSAN)
    void* scheduler = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(m_thread, 1);
    __tsan_release(tag);
    __tsan_switch_to_fiber(scheduler, 1);
    __tsan_destroy_fiber(m_thread);
    m_thread = nullptr;
#endif
}

void Fiber::start(StackView stack, Entry entry, void* argument) {
    m_stack = stack;
    m_entry = entry;
    m_argument = argument;
    m_self = context::make_fcontext(stack.bottom + stack.bytes, stack.bytes, &Fiber::trampoline);
#if defined(SIMT_TSAN)
    m_thread = __tsan_create_fiber(0);
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
    __sanitizer_start_switch_fiber(&m_schedulerFakeStack, m_stack.bottom, m_stack.bytes);
#endif
#if defined(SIMT_TSAN)
    m_schedulerThread = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(m_thread, 1);  // 1: orders nothing
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
