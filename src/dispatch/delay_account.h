// How long work was kept off its device, and for whose sake. Plain counting; not thread-safe. Allocates only when more
// queues of a client are suspended at a time than ever before.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

namespace xsched::dispatch {

// For so long the unit `cause` of the client `client` kept some client's work off.
struct Delay {
    uint64_t cause;
    uint32_t client;
    int64_t ns;
    auto operator<=>(const Delay&) const = default;
};

// Of one queue: the time that it was suspended with work to do.
class QueueDelay {
public:
    // It is suspended anew.
    void begin() {
        ns_ = 0;
        cause_pid_ = 0;
        several_ = false;
    }
    // `pid`: the process that this was for; 0: nobody.
    void add(int64_t ns, int32_t pid) {
        ns_ += ns;
        total_ns_ += ns;
        if (pid == 0) return;
        if (cause_pid_ == 0) cause_pid_ = pid;
        several_ = several_ || cause_pid_ != pid;
    }
    int64_t total_ns() const { return total_ns_; }
    // Since it was suspended last: how long, for which process first, and whether for others too.
    int64_t ns() const { return ns_; }
    int32_t cause_pid() const { return cause_pid_; }
    bool several_causes() const { return several_; }

private:
    int64_t total_ns_ = 0;
    int64_t ns_ = 0;
    int32_t cause_pid_ = 0;
    bool several_ = false;
};

// Of one client.
class DelayAccount {
public:
    // A queue of its was kept off since the last settling.
    // Mostly queue after queue for the same unit: then nothing is left to sort.
    void add(const Delay& delay) {
        if (!settling_.empty() && settling_.back().cause == delay.cause && settling_.back().client == delay.client)
            settling_.back().ns = std::max(settling_.back().ns, delay.ns);
        else
            settling_.push_back(delay);
    }
    // Queues that were suspended side by side for the same unit count once: the longest of them.
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
    // To be attributed to the clients that caused them; the caller empties it.
    std::vector<Delay>& unattributed() { return unattributed_; }

    // Its own work kept another client's off.
    void add_caused(int64_t ns) { caused_ns_ += ns; }
    int64_t caused_ns() const { return caused_ns_; }

private:
    std::vector<Delay> settling_;
    std::vector<Delay> unattributed_;
    int64_t settled_ns_ = 0;
    int64_t caused_ns_ = 0;
};

}  // namespace xsched::dispatch
