// How often values of which size occurred: a log-linear histogram of lengths in nanoseconds, which one thread writes
// without locks and others read. Two histograms can be added up, and taken from one another, bucket by bucket: so
// quantiles of an interval, of a program's queues or of a fleet come from sums.
//
// Every power of two from 2^10 ns to 2^37 ns (137 s) is divided into 8 equal buckets, and what lies below likewise. The
// middle of its bucket stands for a value: wrong by a sixteenth at most (6.25 %), or by 64 ns below 1024 ns. A longer
// time counts as 137 s.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/no_copies.h"

namespace xsched::base {

struct HistogramBuckets {
    static constexpr uint32_t kParts = 8;  // buckets per power of two
    static constexpr uint32_t kFirstPower = 10;
    static constexpr uint32_t kLastPower = 37;
    static constexpr uint32_t kCount = kParts * (kLastPower - kFirstPower + 1);
    static constexpr int64_t kMostNs = (int64_t{1} << kLastPower) - 1;

    static constexpr uint32_t of(int64_t ns) {
        const auto value = static_cast<uint64_t>(std::clamp<int64_t>(ns, 0, kMostNs));
        if (value < (uint64_t{1} << kFirstPower)) return static_cast<uint32_t>(value >> (kFirstPower - 3));
        const auto power = static_cast<uint32_t>(std::bit_width(value)) - 1;
        const auto part = static_cast<uint32_t>(value >> (power - 3)) & (kParts - 1);
        return kParts * (power - kFirstPower + 1) + part;
    }
    // Returns the least value that falls into a bucket. For kCount, returns the end of the last bucket.
    static constexpr int64_t least(uint32_t bucket) {
        const uint32_t octave = bucket / kParts;
        const uint32_t part = bucket % kParts;
        if (octave == 0) return int64_t{part} << (kFirstPower - 3);
        const uint32_t power = kFirstPower + octave - 1;
        return (int64_t{kParts} + part) << (power - 3);
    }
    static constexpr int64_t middle(uint32_t bucket) { return (least(bucket) + least(bucket + 1)) / 2; }
};

// A copy of a histogram's counts that no other thread changes. Plain data.
struct HistogramCounts {
    std::array<uint64_t, HistogramBuckets::kCount> counts{};
    uint64_t sum_ns = 0;

    uint64_t count() const {
        uint64_t all = 0;
        for (const uint64_t one : counts) all += one;
        return all;
    }
    void add(const HistogramCounts& more) {
        for (size_t i = 0; i < counts.size(); ++i) counts[i] += more.counts[i];
        sum_ns += more.sum_ns;
    }
    // Leaves only the values counted since `before`, an earlier state of the same histogram. A bucket that shrank
    // counts as empty.
    void subtract(const HistogramCounts& before) {
        for (size_t i = 0; i < counts.size(); ++i) counts[i] -= std::min(counts[i], before.counts[i]);
        sum_ns -= std::min(sum_ns, before.sum_ns);
    }
    // Returns the length that `part` (0 to 1) of all values do not exceed; 0 if there are no values.
    int64_t quantile(double part) const {
        const uint64_t all = count();
        if (all == 0) return 0;
        const double wanted = std::clamp(part, 0.0, 1.0) * static_cast<double>(all);
        uint64_t so_far = 0;
        for (uint32_t i = 0; i < counts.size(); ++i) {
            so_far += counts[i];
            if (counts[i] != 0 && static_cast<double>(so_far) >= wanted) return HistogramBuckets::middle(i);
        }
        return 0;
    }
    bool operator==(const HistogramCounts&) const = default;
};

// One thread adds, any reads; a reader may see a value in `sum` and not yet in its bucket. The lengths of one queue lie
// in a few octaves: memory is taken for four of them (256 bytes) when the first value falls there, and kept.
class Histogram : NoCopies {
public:
    Histogram() = default;
    ~Histogram() {
        for (std::atomic<Part*>& part : parts_) delete part.load(std::memory_order_relaxed);
    }

    void add(int64_t ns, uint64_t times = 1) {
        const int64_t value = std::clamp<int64_t>(ns, 0, HistogramBuckets::kMostNs);
        const uint32_t bucket = HistogramBuckets::of(value);
        raise(part_of(bucket).counts[bucket % kPart], times);
        raise(sum_ns_, static_cast<uint64_t>(value) * times);
    }
    HistogramCounts read() const {
        HistogramCounts read;
        for (uint32_t first = 0; first < HistogramBuckets::kCount; first += kPart) {
            const Part* part = parts_[first / kPart].load(std::memory_order_acquire);
            for (uint32_t i = 0; part != nullptr && i < kPart; ++i)
                read.counts[first + i] = part->counts[i].load(std::memory_order_relaxed);
        }
        read.sum_ns = sum_ns_.load(std::memory_order_relaxed);
        return read;
    }

private:
    static constexpr uint32_t kPart = 4 * HistogramBuckets::kParts;
    static_assert(HistogramBuckets::kCount % kPart == 0);
    struct Part {
        std::atomic<uint64_t> counts[kPart] = {};
    };

    // Adds without a locked instruction: the histogram has only one writer.
    static void raise(std::atomic<uint64_t>& number, uint64_t by) {
        number.store(number.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
    }
    Part& part_of(uint32_t bucket) {
        std::atomic<Part*>& place = parts_[bucket / kPart];
        if (place.load(std::memory_order_relaxed) == nullptr) place.store(new Part, std::memory_order_release);
        return *place.load(std::memory_order_relaxed);
    }

    std::array<std::atomic<Part*>, HistogramBuckets::kCount / kPart> parts_{};
    std::atomic<uint64_t> sum_ns_{0};
};

}  // namespace xsched::base
