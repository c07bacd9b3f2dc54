#include "platform/hip/hal/last_error.h"

#include <atomic>

#include "base/log.h"
#include "base/probe.h"
#include "platform/hip/hal/hal_abi.h"

[[gnu::tls_model("initial-exec")]] constinit thread_local uint32_t xhip_own_calls = 0;

namespace xsched::stream {
namespace {

[[gnu::tls_model("initial-exec")]] thread_local Result t_hidden = kSuccess;
[[gnu::tls_model("initial-exec")]] thread_local bool t_over = false;

}  // namespace

Result hidden_error() { return t_hidden; }
void forget_hidden_error() { t_hidden = kSuccess; }

uint64_t* signal_memory(const Api& api) {
    void* memory = nullptr;
    if (api.hipExtMallocWithFlags == nullptr ||
        api.hipExtMallocWithFlags(&memory, sizeof(uint64_t), hip::hipMallocSignalMemory) != kSuccess)
        return nullptr;
    // Signal memory serves as a gate only if the host can read and store it directly. Otherwise each opening and
    // closing would need a call of the runtime.
    uint64_t word = 0;
    if (base::read_object(memory, &word)) return static_cast<uint64_t*>(memory);
    static constinit std::atomic<bool> said{false};
    if (!said.exchange(true))
        XLOG_INFO("the runtime's signal memory is out of the host's reach: streams do not wait on it");
    return nullptr;
}

}  // namespace xsched::stream

// xhip_api() is not null here: only code that has the runtime's functions begins calls of XSched's own.
extern "C" int xhip_begin_own_calls(void) {
    ++xhip_own_calls;
    if (xsched::stream::t_over) return 0;
    return xhip_api()->hipPeekAtLastError();
}

extern "C" void xhip_end_own_calls(int before) {
    using namespace xsched::stream;
    const Api& api = *xhip_api();
    const Result after = t_over ? before : api.hipPeekAtLastError();
    if (after != before) {
        if (after != kSuccess) api.hipGetLastError();
        if (before != kSuccess) t_hidden = before;
    }
    --xhip_own_calls;
}

// The next two are called for a runtime whose functions we lack, too.
extern "C" int xhip_last_error(void) {
    const xsched::stream::Api* api = xhip_api();
    return xsched::stream::t_over || api == nullptr ? 0 : api->hipPeekAtLastError();
}

extern "C" void xhip_settle_error(int before, int code) {
    using namespace xsched::stream;
    const Api* api = xhip_api();
    if (t_over || api == nullptr) return;
    const Result after = api->hipPeekAtLastError();
    if (code != kSuccess) {
        if (after == kSuccess) t_hidden = code;
    } else if (after != kSuccess && after != before) {
        api->hipGetLastError();
        if (before != kSuccess) t_hidden = before;
    }
}

extern "C" void xhip_thread_over(void) { xsched::stream::t_over = true; }
extern "C" int xhip_thread_is_over(void) { return xsched::stream::t_over ? 1 : 0; }
