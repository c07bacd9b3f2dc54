#include "queue/alive/keep_alive.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/log.h"

namespace xsched::queue {
namespace {

// Longest pause, from the end of a wait to the next launch, for which the device is kept while victims are on their way
// off. A longer pause is not worth the device's time.
constexpr int64_t kLongestNs = 50 * base::kMicrosecond;  // decision 003
// A hold that something else ends may last longer than the burst's usual length by 1/kLongerPart.
constexpr int64_t kLongerPart = 2;
// The same for a hold to the end of a burst: as long as a machine may be busy with something else.
constexpr int64_t kLongerToEndNs = 2 * base::kMillisecond;  // decision 023

}  // namespace

constinit std::atomic<KeepAlive*> KeepAlive::holder{nullptr};
constinit std::atomic<KeepAlive*> KeepAlive::awaiting{nullptr};
constinit std::atomic<int64_t> KeepAlive::held_until_ns{0};
constinit std::atomic<uint32_t> KeepAlive::not_held{0};
constinit std::atomic<bool> KeepAlive::ends_with_wait{false};
constinit std::atomic<int64_t> KeepAlive::through_ns{0};
constinit std::atomic<int64_t> KeepAlive::waits_until_ns{0};
constinit std::atomic<bool> KeepAlive::let_go_early{false};
constinit BurstWaits KeepAlive::burst_waits;
constinit EndWaits KeepAlive::end_waits;

void KeepAlive::begin() {
    running_.store(false, std::memory_order_relaxed);
    prepared_for_ = path_.binding();
}

void KeepAlive::placed() { warm_seen_ = core_.published.slot().warm.load(std::memory_order_relaxed); }

// Returns the number of a new keep-alive, and its length; 0: not now.
uint32_t KeepAlive::next_number(int64_t* ns) {
    base::Lock lock(core_.mutex);
    if (!core_.in_use || core_.retired || !path_.bound()) return 0;
    ipc::Header& header = core_.published.header();
    if (header.keeps_alive.load(std::memory_order_relaxed) == 0) return 0;
    header.keep_alive_synchronizes.fetch_add(1, std::memory_order_relaxed);
    if (holds_through()) return 0;
    *ns = header.keep_alive_always_us.load(std::memory_order_relaxed) * base::kMicrosecond;
    if (base::now_ns() < core_.published.keep_alive_until_ns()) *ns = std::max(*ns, kLongestNs);
    if (*ns == 0) return 0;
    path_.absorb_progress();
    if (core_.completed == core_.submitted) return 0;  // nothing is in flight: the device has already turned to others
    return raise_number();
}

// Lock held.
uint32_t KeepAlive::raise_number() {
    followed_ = false;
    number_ += 2;
    return number_ != 0 ? number_ : number_ += 2;
}

// Starts a keep-alive, on the thread that is about to wait for the queue's work.
bool KeepAlive::start(XqReturn when) {
    end();
    wait_begins();
    if (ops() == nullptr) return false;
    int64_t ns = 0;
    const uint32_t number = next_number(&ns);
    if (number == 0) return false;
    running_.store(true, std::memory_order_seq_cst);  // set before the start, because another thread's launch may end
                                                      // it at once
    if (ops()->start(core_.setup.impl, number, ns, when) == kXSchedSuccess) return true;
    end();
    return false;
}

void KeepAlive::end() {
    if (!running() || !running_.exchange(false)) return;
    base::Lock lock(core_.mutex);
    if (core_.in_use) core_.published.keep_alive(ended());
}

void KeepAlive::followed() {
    {
        base::Lock lock(core_.mutex);
        if (!std::exchange(followed_, true)) {
            if (core_.in_use) core_.published.keep_alive(number_);
            return;
        }
    }
    end();
}

void KeepAlive::will_be_followed() {
    if (!running()) return;
    base::Lock lock(core_.mutex);
    if (core_.in_use && running()) core_.published.keep_alive(number_);
}

bool KeepAlive::has_use() const {
    const ipc::Header& header = core_.published.header();
    return header.keep_alive_wanted.load(std::memory_order_relaxed) != 0 &&
           header.keeps_alive.load(std::memory_order_relaxed) != 0;
}

// Lock held.
bool KeepAlive::nothing_pending() {
    if (!core_.in_use || core_.retired) return false;
    if (path_.touched()) path_.absorb_progress();
    return core_.submitted == core_.completed;
}

bool KeepAlive::all_complete() {
    base::Lock lock(core_.mutex);
    return nothing_pending();
}

bool KeepAlive::is_idle() {
    return ops() != nullptr && all_complete() && ops()->is_idle(core_.setup.impl) == kXSchedSuccess;
}

bool KeepAlive::only_ours_pending() {
    base::Lock lock(core_.mutex);
    return path_.touched() && nothing_pending();
}

// Lock held.
bool KeepAlive::preparation_asked() {
    if (ops() == nullptr || !core_.in_use || core_.retired || !path_.bound()) return false;
    if (core_.setup.level != kPreemptLevelInterrupt || prepared_for_ == path_.binding()) return false;
    return core_.published.header().keep_alive_wanted.load(std::memory_order_acquire) != 0;
}

bool KeepAlive::asked() {
    base::Lock lock(core_.mutex);
    if (ops() == nullptr || !core_.in_use || core_.retired) return false;
    return preparation_asked() || core_.published.slot().warm.load(std::memory_order_acquire) != warm_seen_;
}

void KeepAlive::prepare_early() {
    {
        base::Lock lock(core_.mutex);
        if (ops() == nullptr || !core_.in_use || core_.retired) return;
        if (core_.setup.level != kPreemptLevelInterrupt) return;
    }
    const int64_t began = base::now_ns();
    path_.prepare_words();
    const XResult result = ops()->prepare(core_.setup.impl);
    XLOG_DEBG("queue 0x%lx: what keeps the device through pauses %s before the first work, in %lld us",
              static_cast<unsigned long>(core_.handle),
              result == kXSchedSuccess ? "was prepared" : "cannot be prepared",
              static_cast<long long>((base::now_ns() - began) / base::kMicrosecond));
}

void KeepAlive::prepare_if_asked() {
    uint32_t binding = 0;
    {
        base::Lock lock(core_.mutex);
        if (!preparation_asked()) return;
        binding = path_.binding();
    }
    const int64_t began = base::now_ns();
    const XResult result = ops()->prepare(core_.setup.impl);
    base::Lock lock(core_.mutex);
    if (!core_.in_use) return;
    prepared_for_ = binding;
    if (result != kXSchedSuccess) return;
    core_.published.header().keeps_alive.store(1, std::memory_order_release);
    XLOG_DEBG("queue 0x%lx can keep the device through its pauses (prepared in %lld us)",
              static_cast<unsigned long>(core_.handle), static_cast<long long>((base::now_ns() - began) / 1000));
}

void KeepAlive::warm_if_asked() {
    {
        base::Lock lock(core_.mutex);
        if (!core_.in_use || ops() == nullptr) return;
        const uint32_t warm = core_.published.slot().warm.load(std::memory_order_acquire);
        if (std::exchange(warm_seen_, warm) == warm || core_.retired) return;
    }
    const ipc::QueueSlot& slot = core_.published.slot();
    const int64_t hold_ns = slot.warm_us.load(std::memory_order_relaxed) * base::kMicrosecond;
    if (hold_ns == 0)
        ops()->warm(core_.setup.impl);
    else if (slot.warm_to_end.load(std::memory_order_relaxed) != 0)
        hold_to_end(hold_ns);
    else
        hold(hold_ns, slot.warm_behind_us.load(std::memory_order_relaxed) * base::kMicrosecond);
}

// Returns the number of a keep-alive to hold; 0: not now. A hold before a burst uses up its number.
uint32_t KeepAlive::number_to_hold(bool to_end) {
    base::Lock lock(core_.mutex);
    if (!core_.in_use || core_.retired || !path_.bound()) return 0;
    if (core_.published.header().keeps_alive.load(std::memory_order_relaxed) == 0) return 0;
    path_.absorb_progress();
    return to_end || core_.completed == core_.submitted ? held_number_ = raise_number() : 0;
}

// Puts a hold into our own queue, one at a time.
bool KeepAlive::put_held(uint32_t number, int64_t ns, int64_t behind_ns) {
    held_until_ns.store(base::now_ns() + ns + behind_ns, std::memory_order_relaxed);
    holder.store(this, std::memory_order_seq_cst);
    return ops()->hold(core_.setup.impl, number, ns, behind_ns) == kXSchedSuccess;
}

// Tells the scheduler that it need not keep other programs off until then.
void KeepAlive::tell_holds(int64_t until_ns) {
    base::Lock lock(core_.mutex);
    if (!core_.in_use) return;
    core_.published.holds_until(until_ns);
    ipc::ring_doorbell(core_.published.header());
}

// Tells the scheduler that the hold is over: the burst goes on behind the wait that ended it, or another burst has
// begun.
void KeepAlive::tell_over(int64_t now_ns) {
    base::Lock lock(core_.mutex);
    if (!core_.in_use || core_.published.holds_until_ns() <= now_ns) return;
    core_.published.holds_until(0);
    ipc::ring_doorbell(core_.published.header());
}

bool KeepAlive::holds_through() {
    return through_ns.load(std::memory_order_relaxed) != 0 &&
           base::now_ns() < held_until_ns.load(std::memory_order_relaxed);
}

void KeepAlive::hold(int64_t ns, int64_t through) {
    if (base::now_ns() < held_until_ns.load(std::memory_order_relaxed)) return;
    if (uint32_t left = not_held.load(std::memory_order_relaxed); left > 0) {
        // otherwise memory was freed just now
        not_held.compare_exchange_strong(left, left - 1, std::memory_order_relaxed);
        return;
    }
    end();  // ends the keep-alive of the last wait, which no launch has followed
    const uint32_t number = number_to_hold(false);
    burst_waits.burst_expected();
    // The burst's last wait ends the hold. Taking victims off for a burst that is about to end would cost them more
    // than it gains.
    if (burst_waits.known()) through += through / kLongerPart;
    const int64_t behind_ns = through != 0 ? through : int64_t{kXqHeldBehindLaunchNs};
    XLOG_DEBG("queue 0x%lx %s the device for a burst to come, for %lld us at most, and %lld behind its first launch",
              static_cast<unsigned long>(core_.handle), number != 0 ? "keeps" : "does not keep",
              static_cast<long long>(ns / base::kMicrosecond), static_cast<long long>(behind_ns / base::kMicrosecond));
    if (number == 0) return;
    let_go_early.store(false, std::memory_order_relaxed);
    awaiting.store(this, std::memory_order_seq_cst);
    through_ns.store(through, std::memory_order_relaxed);
    waits_until_ns.store(base::now_ns() + ns, std::memory_order_relaxed);
    if (!put_held(number, ns, behind_ns)) return end_held();
    if (through != 0 && awaits_launch()) tell_holds(waits_until_ns.load(std::memory_order_relaxed));
    bool launched_meanwhile = false;  // a thread launched meanwhile without seeing the hold
    {
        base::Lock lock(core_.mutex);
        launched_meanwhile = core_.completed != core_.submitted;
    }
    if (launched_meanwhile) launched();
}

void KeepAlive::hold_to_end(int64_t ns) {
    if (base::now_ns() < held_until_ns.load(std::memory_order_relaxed)) return;
    if (not_held.load(std::memory_order_relaxed) > 0) return;
    const uint32_t number = number_to_hold(true);
    if (number == 0) return;
    if (end_waits.known()) ns += kLongerToEndNs;
    const int64_t until_ns = base::now_ns() + ns;
    end_waits.held();
    through_ns.store(0, std::memory_order_relaxed);
    ends_with_wait.store(true, std::memory_order_seq_cst);
    if (!put_held(number, ns, kXqHeldBehindLaunchNs)) return end_held();
    XLOG_DEBG("queue 0x%lx keeps the device to the end of its burst, for %lld us at most",
              static_cast<unsigned long>(core_.handle), static_cast<long long>(ns / base::kMicrosecond));
    tell_holds(until_ns);
}

// Tells the device to end the hold. The keep-alive of a later wait uses the same word, and may have set a higher
// number.
void KeepAlive::tell_held(uint32_t word) {
    base::Lock lock(core_.mutex);
    if (core_.in_use && held_number_ == number_) core_.published.keep_alive(word);
}

void KeepAlive::launched() {
    KeepAlive* const held = awaiting.exchange(nullptr);
    if (held == nullptr) return;
    const int64_t now_ns = base::now_ns();
    if (let_go_early.exchange(false)) {
        burst_waits.launched_behind(now_ns);
        return held->tell_over(now_ns);
    }
    held->tell_held(held->held_number_);
    XLOG_DEBG("queue 0x%lx: its burst began %lld us before that would have been given up",
              static_cast<unsigned long>(held->core_.handle),
              static_cast<long long>((waits_until_ns.load(std::memory_order_relaxed) - now_ns) / base::kMicrosecond));
    const int64_t behind_ns = through_ns.load(std::memory_order_relaxed);
    if (behind_ns == 0 || now_ns >= waits_until_ns.load(std::memory_order_relaxed)) return;
    held_until_ns.store(now_ns + behind_ns, std::memory_order_relaxed);
    burst_waits.burst_begun(now_ns + behind_ns);
    held->tell_holds(now_ns + behind_ns);
}

// Ends the hold, and returns the queue that had it; null: none.
KeepAlive* KeepAlive::let_go() {
    if (holder.load() == nullptr) return nullptr;
    KeepAlive* const held = holder.exchange(nullptr);
    if (held == nullptr) return nullptr;
    awaiting.store(nullptr);
    ends_with_wait.store(false, std::memory_order_relaxed);
    held_until_ns.store(0, std::memory_order_relaxed);
    held->tell_held(held->held_number_ + 1);
    return held;
}

void KeepAlive::end_held() {
    KeepAlive* const held = let_go();
    if (held != nullptr && through_ns.exchange(0) != 0) held->tell_holds(0);
}

// Lets the device go at a burst's last wait, without telling the scheduler: it would take victims off for the short
// rest of the burst, which takes longer than that rest.
XSCHED_HOT void KeepAlive::wait_begins() {
    if (ends_with_wait.load(std::memory_order_relaxed))
        end_waits.wait_begun();
    else if (through_ns.load(std::memory_order_relaxed) == 0 || !burst_waits.wait_begun(base::now_ns()))
        return;
    KeepAlive* const held = let_go();
    if (held == nullptr) return;
    let_go_early.store(true, std::memory_order_relaxed);
    awaiting.store(held);  // watches whether the burst continues
}

void KeepAlive::frees_memory() {
    end_held();
    not_held.store(kBurstsAfterFree, std::memory_order_relaxed);
}

}  // namespace xsched::queue
