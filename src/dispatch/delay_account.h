// How long a client's work was kept off its device, and for which units. Plain counting; not thread-safe. Allocates
// only when more of a client's queues are suspended at once than ever before.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

namespace xsched::dispatch {

// How long the unit `cause` of the client `client` kept work off.
struct Delay {
    uint64_t cause;
    uint32_t client;
    int64_t ns;
    auto operator<=>(const Delay&) const = default;
};

// How long one queue was suspended with work to do.
class QueueDelay {
public:
    // Begins a new suspension.
    void begin() {
        ns_ = 0;
        cause_pid_ = 0;
        several_ = false;
    }
    // Adds time for which the queue was suspended with work. `pid`: the process for which it was suspended; 0: none.
    void add(int64_t ns, int32_t pid) {
        ns_ += ns;
        total_ns_ += ns;
        if (pid == 0) return;
        if (cause_pid_ == 0) cause_pid_ = pid;
        several_ = several_ || cause_pid_ != pid;
    }
    int64_t total_ns() const { return total_ns_; }
    // Return facts about the last suspension: its length, the first process it was for, and whether there were others.
    int64_t ns() const { return ns_; }
    int32_t cause_pid() const { return cause_pid_; }
    bool several_causes() const { return several_; }

private:
    int64_t total_ns_ = 0;
    int64_t ns_ = 0;
    int32_t cause_pid_ = 0;
    bool several_ = false;
};

// The delays of one client.
class DelayAccount {
public:
    // Adds a delay of one queue since the last settling. Mostly all queues are delayed by the same unit: then nothing
    // need be sorted.
    void add(const Delay& delay) {
        if (!settling_.empty() && settling_.back().cause == delay.cause && settling_.back().client == delay.client)
            settling_.back().ns = std::max(settling_.back().ns, delay.ns);
        else
            settling_.push_back(delay);
    }
    // Settles the delays. Queues suspended side by side for the same unit count once: the longest of them.
    void settle(int64_t now_ns) {
        settled_ns_ = now_ns;
        if (settling_.empty()) return;
        std::sort(settling_.begin(), settling_.end());
        for (size_t i = 0; i < settling_.size(); ++i)
            if (i + 1 == settling_.size() || settling_[i + 1].cause != settling_[i].cause)
                unattributed_.push_back(settling_[i]);
        settling_.clear();
    }
    int64_t settled_ns() const { return settled_ns_; }
    // Returns delays not yet added to the clients that caused them; the caller empties the list.
    std::vector<Delay>& unattributed() { return unattributed_; }

    // Adds time for which this client's work kept another client's work off the device.
    void add_caused(int64_t ns) { caused_ns_ += ns; }
    int64_t caused_ns() const { return caused_ns_; }

private:
    std::vector<Delay> settling_;
    std::vector<Delay> unattributed_;
    int64_t settled_ns_ = 0;
    int64_t caused_ns_ = 0;
};

}  // namespace xsched::dispatch
