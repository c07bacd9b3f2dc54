// XQueue, lingering: while others are being kept off the device for this process, which takes some hundred microseconds,
// the process keeps it through its own short pauses. Else the hardware, for which it is idle then, would switch to the
// others and back, at the price of two switches between contexts (350 us on an H100, docs/decisions/003).
#include "base/clock.h"
#include "base/log.h"
#include "queue/xqueue.h"

namespace xsched::queue {
namespace {

// The pause between the end of a wait and the next launch. A longer one is not worth the device's time.
constexpr int64_t kLongestNs = 50 * base::kMicrosecond;

}  // namespace

// On the thread that is about to wait for the queue's work.
bool XQueue::linger(bool waits) {
    leave();
    if (setup_.ops->linger == nullptr || setup_.ops->throttle == 0) return false;
    uint32_t number = 0;
    {
        base::Lock lock(mutex_);
        if (!in_use() || retired_ || !bound_) return false;
        ipc::Header& header = *placement_.header;
        if (header.lingers.load(std::memory_order_relaxed) == 0) return false;
        header.waits.fetch_add(1, std::memory_order_relaxed);
        if (base::now_ns() >= header.linger_until_ns.load(std::memory_order_relaxed)) return false;
        absorb_progress();
        if (completed_ == submitted_) return false;  // the device has gone on to others already
        number = ++lingers_;
    }
    lingering_.store(true, std::memory_order_seq_cst);  // first: another thread's launch may end it from here on
    if (setup_.ops->linger(setup_.impl, number, kLongestNs, waits ? 1 : 0) == kXSchedSuccess) return true;
    leave();
    return false;
}

void XQueue::leave() {
    if (!lingering_.load(std::memory_order_relaxed) || !lingering_.exchange(false)) return;
    base::Lock lock(mutex_);
    if (in_use()) placement_.slot->linger.store(lingers_, std::memory_order_release);
}

bool XQueue::only_ours() {
    if (setup_.ops->throttle == 0) return false;
    base::Lock lock(mutex_);
    if (!in_use() || retired_ || !touched_) return false;
    absorb_progress();
    return submitted_ == completed_;
}

void XQueue::prepare_linger_if_asked() {
    if (setup_.ops == nullptr || setup_.ops->prepare_linger == nullptr) return;
    {
        base::Lock lock(mutex_);
        if (!in_use() || retired_ || !bound_ || linger_prepared_ || setup_.level != kPreemptLevelInterrupt) return;
        if (placement_.header->linger_wanted.load(std::memory_order_acquire) == 0) return;
    }
    const int64_t began = base::now_ns();
    const XResult result = setup_.ops->prepare_linger(setup_.impl);
    base::Lock lock(mutex_);
    if (!in_use()) return;
    linger_prepared_ = true;
    if (result != kXSchedSuccess) return;
    placement_.header->lingers.store(1, std::memory_order_release);
    XLOG_DEBG("queue 0x%lx can keep the device through its pauses (prepared in %lld us)",
              static_cast<unsigned long>(handle_.load()), static_cast<long long>((base::now_ns() - began) / 1000));
}

}  // namespace xsched::queue
