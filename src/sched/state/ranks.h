// Orders the units of one device by priority, and answers questions about all units below (or above) one. The sums are
// made once per pass instead of once per pair. Pure; not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace xsched::sched {

// Tells whether a set of processes is empty, one process, or several.
class Processes {
public:
    void add(uint64_t process) {
        if (count_ == 0) process_ = process;
        count_ = count_ == 0 || process_ == process ? std::max(count_, 1) : 2;
    }
    void add(const Processes& others) {
        if (others.count_ != 0) add(others.process_);
        count_ = std::max(count_, others.count_);
    }
    bool any() const { return count_ != 0; }
    bool any_but(uint64_t process) const { return count_ > 1 || (count_ == 1 && process_ != process); }
    bool operator==(const Processes&) const = default;

private:
    uint64_t process_ = 0;
    int count_ = 0;  // 2: several
};

// Keeps the largest (or smallest) of numbers that processes have, and also the largest of all processes but any one.
// kNone: no process has a number.
template <typename Beats, int64_t kNone>
class Extreme {
public:
    void add(uint64_t process, int64_t number) {
        if (process == process_) {
            most_ = better(most_, number);
        } else if (Beats{}(number, most_)) {
            others_ = std::exchange(most_, number);
            process_ = process;
        } else {
            others_ = better(others_, number);
        }
    }
    void add(const Extreme& more) {
        add(more.process_, more.most_);
        others_ = better(others_, more.others_);
    }
    int64_t but_of(uint64_t process) const { return process == process_ ? others_ : most_; }

private:
    static int64_t better(int64_t one, int64_t other) { return Beats{}(one, other) ? one : other; }

    uint64_t process_ = 0;
    int64_t most_ = kNone;
    int64_t others_ = kNone;
};
using Largest = Extreme<std::greater<>, 0>;
using Least = Extreme<std::less<>, INT64_MAX>;

// Positions by priority: rank 0 is the least urgent.
class Ranks {
public:
    template <typename PriorityOf>
    void build(size_t count, PriorityOf priority_of) {
        sorted_.clear();
        for (uint32_t at = 0; at < count; ++at) sorted_.emplace_back(priority_of(at), at);
        std::sort(sorted_.begin(), sorted_.end());
        rank_.resize(count);
        ranks_ = 0;
        for (size_t i = 0; i < count; ++i) {
            if (i == 0 || sorted_[i].first != sorted_[i - 1].first) ++ranks_;
            rank_[sorted_[i].second] = ranks_ - 1;
        }
    }
    uint32_t count() const { return ranks_; }
    uint32_t of(size_t at) const { return rank_[at]; }

private:
    std::vector<std::pair<int32_t, uint32_t>> sorted_;
    std::vector<uint32_t> rank_;
    uint32_t ranks_ = 0;
};

}  // namespace xsched::sched
