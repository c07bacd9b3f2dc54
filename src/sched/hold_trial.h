// Whether a program's bursts are as short while its process holds the device through all of them as while it does so at
// their begin alone. What holds the device takes the place of one thread block, for which a kernel that needs every
// multiprocessor as a whole would wait. Pure; one object per unit; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace xsched::sched {

class HoldTrial {
public:
    static constexpr unsigned kEach = 8;  // bursts of each kind, the last ones, whose medians are compared
    static constexpr unsigned kNotFor = 256;  // bursts, if it makes them longer
    static constexpr int64_t kPart = 32;  // by more than this part

    // Whether the next burst may be held through.
    bool may() const { return without_.enough() && not_for_ == 0; }
    // A burst that was foreseen is over.
    void note(bool through, int64_t ns) {
        if (not_for_ != 0) {
            if (--not_for_ == 0) *this = {};
            return;
        }
        (through ? with_ : without_).add(ns);
        if (!through || !with_.enough()) return;
        const int64_t usual_ns = without_.median();
        if (with_.median() > usual_ns + usual_ns / kPart) not_for_ = kNotFor;
    }

private:
    // One that is long for the machine's sake moves it little.
    class Lengths {
    public:
        void add(int64_t ns) { ring_[count_++ % kEach] = ns; }
        bool enough() const { return count_ >= kEach; }
        int64_t median() const {
            std::array<int64_t, kEach> sorted = ring_;
            std::nth_element(sorted.begin(), sorted.begin() + kEach / 2, sorted.end());
            return sorted[kEach / 2];
        }

    private:
        std::array<int64_t, kEach> ring_{};
        uint64_t count_ = 0;
    };

    Lengths with_;
    Lengths without_;
    unsigned not_for_ = 0;
};

}  // namespace xsched::sched
