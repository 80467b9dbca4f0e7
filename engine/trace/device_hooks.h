#pragma once
// What a backend that launches work on a device calls so that each kernel can be traced back to the
// engine span behind it, here and in other profilers. No CUDA in it: the backend gets the hooks
// from its Sink (Sink::deviceHooks) and works the same without. Implemented in
// profiler/collect/cupti_*.

#include "engine/trace/events.h"

namespace lanescope::trace {

/// Called on the thread that launches; must be quick and must not throw. The defaults do nothing.
class DeviceHooks {
  public:
    virtual ~DeviceHooks() = default;

    /// Everything launched or captured from here to popSpan belongs to this span: its labels and
    /// tStartNs are set, its end is not known yet. Spans nest; the innermost counts.
    virtual void pushSpan(const Span& /*span*/) {}
    virtual void popSpan() {}

    /// A named range for other profilers (NVTX); no cost where none is attached.
    virtual void rangePush(const char* /*name*/) {}
    virtual void rangePop() {}
};

/// A span for the device's timeline for as long as it lives; does nothing without hooks.
class ScopedDeviceSpan {
  public:
    ScopedDeviceSpan(DeviceHooks* hooks, const Span& span) : m_hooks(hooks) {
        if (m_hooks != nullptr) m_hooks->pushSpan(span);
    }
    ScopedDeviceSpan(const ScopedDeviceSpan&) = delete;
    ScopedDeviceSpan& operator=(const ScopedDeviceSpan&) = delete;
    ~ScopedDeviceSpan() {
        if (m_hooks != nullptr) m_hooks->popSpan();
    }

  private:
    DeviceHooks* m_hooks;
};

}  // namespace lanescope::trace
