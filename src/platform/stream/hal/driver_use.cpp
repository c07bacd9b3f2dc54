#include "platform/stream/hal/driver_use.h"

#include <atomic>

#include "base/futex.h"
#include "vendor.h"

namespace xsched::stream {
namespace {

constinit base::FutexWord g_uses{0};    // guards of the whole process
constinit base::FutexWord g_pauses{0};  // pause_driver calls in force

void leave_process() {
    if (g_uses.fetch_sub(1, std::memory_order_seq_cst) == 1 && g_pauses.load(std::memory_order_seq_cst) != 0)
        base::futex_wake_all(g_uses);
}

void enter_process() {
    for (;;) {
        g_uses.fetch_add(1, std::memory_order_seq_cst);
        const uint32_t pauses = g_pauses.load(std::memory_order_seq_cst);
        if (pauses == 0) return;
        leave_process();
        base::futex_wait(g_pauses, pauses);
    }
}

}  // namespace

DriverUse::DriverUse(HwQueue& hwq, bool touches_stream) : hwq_(hwq) {
    foreign_ = hwq.kind == StreamKind::kPerThread && hwq.thread != thread_number();
    enter_process();
    if (!hwq.users.enter()) {
        verdict_ = kXSchedErrorHardware;
        leave_process();
        return;
    }
    const Api& api = *hwq.api;
    if (touches_stream && foreign_)
        verdict_ = kXSchedErrorNotAllowed;
    else if (!current_.enter(api, hwq.context))
        verdict_ = kXSchedErrorHardware;
    if (verdict_ == kXSchedSuccess) return;
    hwq.users.leave();
    leave_process();
}

DriverUse::~DriverUse() {
    if (verdict_ != kXSchedSuccess) return;
    current_.leave();
    hwq_.users.leave();
    leave_process();
}

bool DriverUse::capturing() const {
    if (foreign_) return true;
    return asks_capturing(*hwq_.api, hwq_.stream);
}

void pause_driver() {
    g_pauses.fetch_add(1, std::memory_order_seq_cst);
    for (uint32_t uses; (uses = g_uses.load(std::memory_order_seq_cst)) != 0;) base::futex_wait(g_uses, uses);
}

void unpause_driver() {
    g_pauses.fetch_sub(1, std::memory_order_seq_cst);
    base::futex_wake_all(g_pauses);
}

}  // namespace xsched::stream
