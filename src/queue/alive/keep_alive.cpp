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

}  // namespace

void KeepAlive::begin() {
    running_.store(false, std::memory_order_relaxed);
    prepared_for_ = path_.binding();
}

void KeepAlive::placed() { warm_seen_ = core_.published.slot().warm.load(std::memory_order_relaxed); }

// Returns the number of a new keep-alive, and its length; 0: not now.
uint32_t KeepAlive::next_number(int64_t* ns, bool is_held) {
    base::Lock lock(core_.mutex);
    if (!core_.in_use || core_.retired || !path_.bound()) return 0;
    ipc::Header& header = core_.published.header();
    if (header.keeps_alive.load(std::memory_order_relaxed) == 0) return 0;
    header.keep_alive_synchronizes.fetch_add(1, std::memory_order_relaxed);
    if (is_held) return 0;
    *ns = header.keep_alive_always_us.load(std::memory_order_relaxed) * base::kMicrosecond;
    if (base::now_ns() < core_.published.keep_alive_until_ns()) *ns = std::max(*ns, kLongestNs);
    if (*ns == 0) return 0;
    path_.absorb_progress();
    if (core_.completed == core_.submitted) return 0;  // nothing is in flight: the device has already turned to others
    return raise_number();
}

// Returns the number of a new keep-alive, which is never 0. Lock held.
uint32_t KeepAlive::raise_number() {
    followed_ = false;
    number_ += 2;
    return number_ != 0 ? number_ : number_ += 2;
}

bool KeepAlive::start(XqReturn when, bool is_held) {
    end();
    if (ops() == nullptr) return false;
    int64_t ns = 0;
    const uint32_t number = next_number(&ns, is_held);
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

// Returns whether all of the queue's commands are complete; false for a queue that is gone. Lock held.
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

// Returns whether the scheduler wants keep-alives and this queue has not prepared any yet. Lock held.
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
    XLOG_DEBG("queue 0x%lx: its keep-alive %s before the first work, in %lld us",
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

KeepAlive::Warmth KeepAlive::take_warmth() {
    {
        base::Lock lock(core_.mutex);
        if (!core_.in_use || ops() == nullptr) return {};
        const uint32_t warm = core_.published.slot().warm.load(std::memory_order_acquire);
        if (std::exchange(warm_seen_, warm) == warm || core_.retired) return {};
    }
    const ipc::QueueSlot& slot = core_.published.slot();
    return {.asked = true,
            .to_end = slot.warm_to_end.load(std::memory_order_relaxed) != 0,
            .hold_ns = slot.warm_us.load(std::memory_order_relaxed) * base::kMicrosecond,
            .through_ns = slot.warm_behind_us.load(std::memory_order_relaxed) * base::kMicrosecond};
}

uint32_t KeepAlive::number_to_hold(bool to_end) {
    base::Lock lock(core_.mutex);
    if (!core_.in_use || core_.retired || !path_.bound()) return 0;
    if (core_.published.header().keeps_alive.load(std::memory_order_relaxed) == 0) return 0;
    path_.absorb_progress();
    return to_end || core_.completed == core_.submitted ? held_number_ = raise_number() : 0;
}

void KeepAlive::tell_holds(int64_t until_ns) {
    base::Lock lock(core_.mutex);
    if (!core_.in_use) return;
    core_.published.holds_until(until_ns);
    ipc::ring_doorbell(core_.published.header());
}

void KeepAlive::tell_hold_over(int64_t now_ns) {
    base::Lock lock(core_.mutex);
    if (!core_.in_use || core_.published.holds_until_ns() <= now_ns) return;
    core_.published.holds_until(0);
    ipc::ring_doorbell(core_.published.header());
}

bool KeepAlive::has_work() {
    base::Lock lock(core_.mutex);
    return core_.completed != core_.submitted;
}

// Tells the device to end the hold. The keep-alive of a later wait uses the same word, and may have set a higher
// number.
void KeepAlive::tell_held(uint32_t word) {
    base::Lock lock(core_.mutex);
    if (core_.in_use && held_number_ == number_) core_.published.keep_alive(word);
}

}  // namespace xsched::queue
