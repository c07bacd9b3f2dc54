#include "queue/alive/device_hold.h"

#include "base/clock.h"
#include "base/log.h"
#include "queue/alive/keep_alive.h"

namespace xsched::queue {
namespace {

// A hold that something else ends may last longer than the burst's usual length by 1/kLongerPart.
constexpr int64_t kLongerPart = 2;

}  // namespace

constinit DeviceHold g_hold;

void DeviceHold::warm_if_asked(KeepAlive& queue) {
    const KeepAlive::Warmth asked = queue.take_warmth();
    if (!asked.asked) return;
    if (asked.hold_ns == 0)
        queue.warm();
    else if (asked.to_end)
        to_end(queue, asked.hold_ns);
    else
        before_burst(queue, asked.hold_ns, asked.through_ns);
}

bool DeviceHold::lasts_through() const {
    return through_ns_.load(std::memory_order_relaxed) != 0 &&
           base::now_ns() < until_ns_.load(std::memory_order_relaxed);
}

// Puts a hold into our own queue, one at a time. Returns whether the device is held.
bool DeviceHold::put(KeepAlive& queue, uint32_t number, int64_t ns, int64_t behind_ns) {
    until_ns_.store(base::now_ns() + ns + behind_ns, std::memory_order_relaxed);
    holder_.store(&queue, std::memory_order_seq_cst);
    return queue.put_hold(number, ns, behind_ns);
}

void DeviceHold::before_burst(KeepAlive& queue, int64_t ns, int64_t through_ns) {
    if (base::now_ns() < until_ns_.load(std::memory_order_relaxed)) return;
    if (uint32_t left = skipped_.load(std::memory_order_relaxed); left > 0) {
        // otherwise memory was freed just now
        skipped_.compare_exchange_strong(left, left - 1, std::memory_order_relaxed);
        return;
    }
    queue.end();  // ends the keep-alive of the last wait, which no launch has followed
    const uint32_t number = queue.number_to_hold(false);
    burst_waits_.burst_expected();
    // The length of the burst (a run of commands followed by a wait) is known, so the hold ends with the burst's last
    // wait and may be longer here. Taking the victims off for a burst that is about to end would cost them more than
    // it gains.
    if (burst_waits_.known()) through_ns += through_ns / kLongerPart;
    const int64_t behind_ns = through_ns != 0 ? through_ns : int64_t{kXqHeldBehindLaunchNs};
    XLOG_DEBG("queue 0x%lx %s the device for a burst to come, for %lld us at most, and %lld behind its first launch",
              queue.name(), number != 0 ? "keeps" : "does not keep", static_cast<long long>(ns / base::kMicrosecond),
              static_cast<long long>(behind_ns / base::kMicrosecond));
    if (number == 0) return;
    let_go_early_.store(false, std::memory_order_relaxed);
    awaiting_.store(&queue, std::memory_order_seq_cst);
    through_ns_.store(through_ns, std::memory_order_relaxed);
    waits_until_ns_.store(base::now_ns() + ns, std::memory_order_relaxed);
    if (!put(queue, number, ns, behind_ns)) return end();
    if (through_ns != 0 && awaits_launch()) queue.tell_holds(waits_until_ns_.load(std::memory_order_relaxed));
    if (queue.has_work()) launched();  // a thread launched meanwhile without seeing the hold
}

void DeviceHold::to_end(KeepAlive& queue, int64_t ns) {
    if (base::now_ns() < until_ns_.load(std::memory_order_relaxed)) return;
    if (skipped_.load(std::memory_order_relaxed) > 0) return;
    const uint32_t number = queue.number_to_hold(true);
    if (number == 0) return;
    if (end_waits_.held()) ns += BurstWaits::kMoreNs;
    const int64_t until_ns = base::now_ns() + ns;
    through_ns_.store(0, std::memory_order_relaxed);
    ends_with_wait_.store(true, std::memory_order_seq_cst);
    if (!put(queue, number, ns, kXqHeldBehindLaunchNs)) return end();
    XLOG_DEBG("queue 0x%lx keeps the device to the end of its burst, for %lld us at most", queue.name(),
              static_cast<long long>(ns / base::kMicrosecond));
    queue.tell_holds(until_ns);
}

void DeviceHold::launched() {
    KeepAlive* const held = awaiting_.exchange(nullptr);
    if (held == nullptr) return;
    const int64_t now_ns = base::now_ns();
    if (let_go_early_.exchange(false)) {
        burst_waits_.launched_behind(now_ns);
        return held->tell_hold_over(now_ns);
    }
    held->end_hold_soon();
    XLOG_DEBG("queue 0x%lx: its burst began %lld us before that would have been given up", held->name(),
              static_cast<long long>((waits_until_ns_.load(std::memory_order_relaxed) - now_ns) / base::kMicrosecond));
    const int64_t behind_ns = through_ns_.load(std::memory_order_relaxed);
    if (behind_ns == 0 || now_ns >= waits_until_ns_.load(std::memory_order_relaxed)) return;
    until_ns_.store(now_ns + behind_ns, std::memory_order_relaxed);
    burst_waits_.burst_begun(now_ns + behind_ns);
    held->tell_holds(now_ns + behind_ns);
}

// Ends the hold, and returns the queue that had it; null: none.
KeepAlive* DeviceHold::let_go() {
    if (holder_.load() == nullptr) return nullptr;
    KeepAlive* const held = holder_.exchange(nullptr);
    if (held == nullptr) return nullptr;
    awaiting_.store(nullptr);
    ends_with_wait_.store(false, std::memory_order_relaxed);
    until_ns_.store(0, std::memory_order_relaxed);
    held->end_hold();
    return held;
}

void DeviceHold::end() {
    KeepAlive* const held = let_go();
    if (held != nullptr && through_ns_.exchange(0) != 0) held->tell_holds(0);
}

// Lets the device go at a burst's last wait, without telling the scheduler: it would take victims off for the short
// rest of the burst, which takes longer than that rest.
XSCHED_HOT void DeviceHold::wait_begins() {
    if (ends_with_wait_.load(std::memory_order_relaxed))
        end_waits_.wait_begun();
    else if (through_ns_.load(std::memory_order_relaxed) == 0 || !burst_waits_.wait_begun(base::now_ns()))
        return;
    KeepAlive* const held = let_go();
    if (held == nullptr) return;
    let_go_early_.store(true, std::memory_order_relaxed);
    awaiting_.store(held);  // watches whether the burst continues
}

void DeviceHold::frees_memory() {
    end();
    skipped_.store(kBurstsAfterFree, std::memory_order_relaxed);
}

}  // namespace xsched::queue
