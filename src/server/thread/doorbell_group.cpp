#include "server/thread/doorbell_group.h"

#include <algorithm>

#include "base/clock.h"
#include "base/time.h"
#include "server/last_words.h"
#include "server/thread/latency.h"
#include "server/thread/real_time.h"

namespace xsched::server {

int64_t DoorbellNews::rests_until_ns(const std::atomic<int64_t>* account_ns, int64_t now_ns) const {
    // A client that is not listened to rests for at least this long. Waking for it more often costs more than reading
    // what it reports.
    constexpr int64_t kLeastRestNs = 250 * base::kMicrosecond;
    if (account_ns == nullptr || !several_users.load(std::memory_order_relaxed)) return 0;
    const int64_t until_ns = account_ns->load(std::memory_order_relaxed);
    return until_ns > now_ns ? std::max(until_ns, now_ns + kLeastRestNs) : 0;
}

void DoorbellNews::tell(const std::vector<uint32_t>& ids) {
    {
        const std::lock_guard lock(mutex_);
        ids_.insert(ids_.end(), ids.begin(), ids.end());
        any_.store(true, std::memory_order_release);
    }
    waker_.fetch_add(1);
    base::futex_wake_all(waker_);
}

void DoorbellNews::take(std::vector<uint32_t>& ids) {
    if (!any_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    ids.insert(ids.end(), ids_.begin(), ids_.end());
    ids_.clear();
    any_.store(false, std::memory_order_relaxed);
}

DoorbellGroup::DoorbellGroup(DoorbellNews& news) : news_(news) {
    thread_ = std::thread([this] {
        // The thread names itself: to name another one the C library opens a file in /proc.
        pthread_setname_np(pthread_self(), "xserver-bells");
        ask_for_low_latency(kSchedulingNice);
        run_or_end([this] { watch(); });
    });
    news_.groups.fetch_add(1, std::memory_order_relaxed);  // a group that got no thread does not count
}

DoorbellGroup::~DoorbellGroup() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    changed();
    thread_.join();
    news_.groups.fetch_sub(1, std::memory_order_relaxed);
}

void DoorbellGroup::add(uint32_t id, ipc::Header& header, const std::atomic<int64_t>* rests_until_ns) {
    header.server_asleep.store(1);
    {
        const std::lock_guard lock(mutex_);
        bells_.push_back({id, &header.doorbell, header.doorbell.load(), rests_until_ns});
    }
    ++size_;
    changed();
}

bool DoorbellGroup::remove(uint32_t id) {
    {
        const std::lock_guard lock(mutex_);
        if (std::erase_if(bells_, [id](const Bell& bell) { return bell.id == id; }) == 0) return false;
    }
    --size_;
    changed();
    return true;
}

void DoorbellGroup::changed() {
    control_.fetch_add(1);
    base::futex_wake_all(control_);
}

// Runs the thread's loop. The memory of a doorbell that the thread waits for may be unmapped meanwhile: then the kernel
// reports an error or wakes the thread, which looks again.
void DoorbellGroup::watch() {
    std::vector<base::FutexWord*> words;
    std::vector<uint32_t> noted;
    std::vector<uint32_t> rung;
    bool kernel_can = true;
    RealTime real_time(base::now_ns(), true);
    for (;;) {
        words.assign(1, &control_);
        noted.assign(1, control_.load());
        rung.clear();
        const int64_t now_ns = base::now_ns();
        int64_t again_ns = 0;  // when the first of the resting clients is listened to again
        {
            const std::lock_guard lock(mutex_);
            if (stop_) return;
            for (Bell& bell : bells_) {
                const int64_t until_ns = news_.rests_until_ns(bell.rests_until_ns, now_ns);
                again_ns = base::earlier(again_ns, until_ns);
                if (until_ns != 0) continue;
                const uint32_t now = bell.word->load();
                if (now != bell.noted) rung.push_back(bell.id);
                bell.noted = now;
                words.push_back(bell.word);
                noted.push_back(now);
            }
        }
        if (!rung.empty()) news_.tell(rung);
        real_time.turn_ends(base::now_ns(), news_.groups.load(std::memory_order_relaxed));
        const int64_t timeout_ns = again_ns == 0 ? base::kForever : std::max<int64_t>(again_ns - base::now_ns(), 1);
        if (kernel_can)
            kernel_can =
                base::futex_wait_any(words.data(), noted.data(), static_cast<unsigned>(words.size()), timeout_ns);
        if (!kernel_can) base::futex_wait(control_, noted[0], words.size() > 1 ? kPollNs : timeout_ns);
    }
}

}  // namespace xsched::server
