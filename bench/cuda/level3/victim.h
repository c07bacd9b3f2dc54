// A CUDA program that shows from outside whether its kernel is on the device at this moment: one thread of it writes
// the device's clock to memory of a file, all the time. An ordinary program; it opens the driver at run time and needs
// no toolkit.
//
// Its kernels step a generator as those of the main job do, a fixed number of steps each. A kernel that lost or
// repeated a step while it was off the device leaves a wrong final state.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace level3 {

// The content of the file; the programs of one measurement share it.
struct Board {
    std::atomic<uint64_t> tick;     // the device's clock, by the victim's kernel
    std::atomic<uint64_t> kernels;  // completed
    std::atomic<uint32_t> order;    // 0: go on; 1: end
    std::atomic<uint32_t> ready;    // the victim's kernels have begun
};
Board* open_board(const std::string& path);  // made if it is not there; ends the program if that fails

int64_t now_ns();
// Watches the victim's tick until it has not changed for `quiet_ns`. Returns when it last changed; 0: it still
// changes after `patience_ns`.
int64_t wait_quiet(const Board& board, int64_t quiet_ns, int64_t patience_ns);
// Waits until the victim's tick changes. Returns when it did; 0: it did not within `patience_ns`.
int64_t wait_moving(const Board& board, int64_t patience_ns);

class Victim {
public:
    // The first device; the kernel's clock goes to the board. Ends the program with a sentence if CUDA fails, as do all
    // functions below.
    explicit Victim(Board& board);

    // Returns how many rounds a kernel needs to take this long, alone on the device.
    uint32_t rounds_for(double milliseconds);
    void launch(uint32_t rounds);
    void synchronize();
    // Waits, then compares every thread's state with what all steps so far leave.
    bool state_is_right();
    void* stream() const { return stream_; }
    void attach_thread();

private:
    void* context_ = nullptr;
    void* stream_ = nullptr;
    void* kernel_ = nullptr;
    uint64_t state_ = 0;
    uint64_t tick_ = 0;
    unsigned blocks_ = 0;
    int processors_ = 1;
    std::atomic<uint64_t> steps_{0};
};

}  // namespace level3
