// The memory of one simulated device. Not thread-safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace xsched::sim {

class Card {
public:
    explicit Card(uint64_t bytes) : bytes_(bytes) {}

    // Takes so many bytes of the device's memory. Returns false, and takes nothing, if less is free.
    bool take(uint64_t bytes) {
        if (bytes > free_bytes()) return false;
        used_ += bytes;
        most_used_ = std::max(most_used_, used_);
        tell_free();
        return true;
    }
    void give(uint64_t bytes) {
        used_ -= bytes;
        tell_free();
    }
    uint64_t bytes() const { return bytes_; }
    uint64_t free_bytes() const { return bytes_ - used_; }
    uint64_t most_used() const { return most_used_; }
    // Keeps a process's word for the device's free bytes up to date.
    void show_free(std::atomic<uint64_t>& word) {
        shown_.push_back(&word);
        word.store(free_bytes(), std::memory_order_relaxed);
    }

private:
    void tell_free() {
        for (std::atomic<uint64_t>* word : shown_) word->store(free_bytes(), std::memory_order_relaxed);
    }

    uint64_t bytes_;
    uint64_t used_ = 0;
    uint64_t most_used_ = 0;
    std::vector<std::atomic<uint64_t>*> shown_;
};

}  // namespace xsched::sim
