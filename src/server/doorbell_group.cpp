#include "server/doorbell_group.h"

#include <algorithm>

#include "base/clock.h"
#include "server/last_words.h"
#include "server/latency.h"
#include "server/real_time.h"

namespace xsched::server {

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
        // By itself: for another thread the C library opens a file in /proc.
        pthread_setname_np(pthread_self(), "xserver-bells");
        ask_for_low_latency(kSchedulingNice);
        run_or_end([this] { watch(); });
    });
    news_.groups.fetch_add(1, std::memory_order_relaxed);  // not of one that got no thread
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

void DoorbellGroup::add(uint32_t id, ipc::Header& header) {
    header.server_asleep.store(1);
    {
        const std::lock_guard lock(mutex_);
        bells_.push_back({id, &header.doorbell, header.doorbell.load()});
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

// The thread. What it waits for may go while it does: then the kernel says so, or wakes it, and it looks again.
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
        {
            const std::lock_guard lock(mutex_);
            if (stop_) return;
            for (Bell& bell : bells_) {
                const uint32_t now = bell.word->load();
                if (now != bell.noted) rung.push_back(bell.id);
                bell.noted = now;
                words.push_back(bell.word);
                noted.push_back(now);
            }
        }
        if (!rung.empty()) news_.tell(rung);
        real_time.turn_ends(base::now_ns(), news_.groups.load(std::memory_order_relaxed));
        if (kernel_can)
            kernel_can =
                base::futex_wait_any(words.data(), noted.data(), static_cast<unsigned>(words.size()), base::kForever);
        if (!kernel_can) base::futex_wait(control_, noted[0], words.size() > 1 ? kPollNs : base::kForever);
    }
}

}  // namespace xsched::server
