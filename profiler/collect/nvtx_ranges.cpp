#include "profiler/collect/nvtx_ranges.h"

#include <string>

#include "profiler/collect/device_tracer.h"

#ifdef LANESCOPE_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace lanescope::profiler {

#ifdef LANESCOPE_NVTX
namespace {

nvtxDomainHandle_t domain() {
    static nvtxDomainHandle_t lanescope = nvtxDomainCreateA("Lanescope");
    return lanescope;
}

}  // namespace

bool nvtxBuiltIn() {
    return true;
}
void nvtxPush(const char* name) {
    nvtxEventAttributes_t event{};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = name;
    nvtxDomainRangePushEx(domain(), &event);
}
void nvtxPop() {
    nvtxDomainRangePop(domain());
}
#else
bool nvtxBuiltIn() {
    return false;
}
void nvtxPush(const char* /*name*/) {}
void nvtxPop() {}
#endif

namespace {

class NvtxHooks final : public trace::DeviceHooks {
  public:
    void pushSpan(const trace::Span& span) override {
        std::string name(trace::opName(span.op));
        if (span.layer >= 0) name += " layer " + std::to_string(span.layer);
        nvtxPush(name.c_str());
    }
    void popSpan() override { nvtxPop(); }
    void rangePush(const char* name) override { nvtxPush(name); }
    void rangePop() override { nvtxPop(); }
};

}  // namespace

std::shared_ptr<trace::DeviceHooks> nvtxHooks() {
    return nvtxBuiltIn() ? std::make_shared<NvtxHooks>() : nullptr;
}

}  // namespace lanescope::profiler
