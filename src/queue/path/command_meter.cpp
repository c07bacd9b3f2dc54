#include "queue/path/command_meter.h"

#include <algorithm>
#include <utility>

namespace xsched::queue {
namespace {

// Least time of a sample: shorter commands are collected into one sample. Completions are seen with varying delay, so
// the time of a single short command would say little.
constexpr int64_t kSampleNs = 200'000;  // judgement
constexpr uint32_t kSampleCommands = 16;
// Most time that a start takes beyond the hardware's switch, in switches. Turns on an H100 take 0.45 ms in all, of
// which the switch is 0.18 (docs/POLICIES.md).
constexpr int64_t kMoreSwitches = 3;

// Returns the new average after a sample. A sample far above the average is rarely typical (a kernel compiled on first
// use, a stall), so it counts for less. A sample far below counts for more, since an average that is too high keeps the
// window too small.
int64_t follow(int64_t average, int64_t sample) {
    if (average == 0) return sample;
    if (sample > 4 * average) return average + (sample - average) / 16;
    if (sample < average / 4) return average + (sample - average) / 4 * 3;
    return average + (sample - average) / 4;
}

}  // namespace

// Returns whether nothing has completed since the queue's last start, and it is not stopped: it may only have waited
// for the device until now. `since_start_ns` then receives the time since that start.
bool CommandMeter::waited(int64_t now_ns, int64_t& since_start_ns) const {
    if (is_stopped_ || flight_since_ns_ < 0 || last_completed_ns_ > flight_since_ns_) return false;
    since_start_ns = std::max<int64_t>(now_ns - flight_since_ns_, 0);
    return true;
}

int64_t CommandMeter::since(int64_t now_ns) const {
    int64_t ns = 0;
    if (waited(now_ns, ns)) return ns - std::min(switch_ns_, ns / 2);  // a command that completes so soon hardly waited
    if (is_stopped_ || flight_since_ns_ < 0) return 0;
    return std::max<int64_t>(now_ns - last_completed_ns_, 0);
}

// Returns how much of the time since the queue's last start may have been a wait for the device, beyond the usual
// switch; 0 if a command has completed since then, or the queue is stopped.
int64_t CommandMeter::doubt(int64_t now_ns) const {
    int64_t ns = 0;
    return waited(now_ns, ns) ? std::min(kMoreSwitches * switch_ns_, since(now_ns) / 2) : 0;
}

// Returns the device time of work that ran on after a stop, since the last call.
int64_t CommandMeter::ran_on(int64_t now_ns) {
    if (!is_stopped_) return 0;
    const int64_t ns = std::min(run_on_ns_, std::max<int64_t>(now_ns - std::exchange(stopped_ns_, now_ns), 0));
    run_on_ns_ -= ns;
    return ns;
}

void CommandMeter::stopped(int64_t now_ns, int64_t run_on_ns) {
    doubt_ns_ += doubt(now_ns);
    before_ns_ += ran_on(now_ns) + since(now_ns);
    is_stopped_ = true;
    stopped_ns_ = now_ns;
    run_on_ns_ = run_on_ns;
}

void CommandMeter::started(int64_t now_ns, int64_t switch_ns) {
    before_ns_ += ran_on(now_ns);
    switch_ns_ = switch_ns;
    is_stopped_ = false;
    flight_since_ns_ = now_ns;
}

void CommandMeter::completed_unfollowed(int64_t now_ns) {
    busy_ns_ += before_ns_ + ran_on(now_ns) + since(now_ns);
    before_ns_ = doubt_ns_ = 0;
    last_completed_ns_ = now_ns;
}

int64_t CommandMeter::completed(uint32_t count, int64_t now_ns) {
    const int64_t most = before_ns_ + ran_on(now_ns) + since(now_ns);
    const int64_t doubt_ns = std::min(doubt_ns_ + doubt(now_ns), most);
    const int64_t usual = count != 0 && command_ns_ != 0 ? count * command_ns_ : most;
    const int64_t spent = std::clamp(usual, most - doubt_ns, most);
    before_ns_ = doubt_ns_ = 0;
    last_completed_ns_ = now_ns;
    busy_ns_ += spent;
    sample_ns_ += spent;
    sample_ += count;
    if (sample_ == 0 || (command_ns_ != 0 && sample_ns_ < kSampleNs && sample_ < kSampleCommands)) return spent;
    command_ns_ = std::max<int64_t>(follow(command_ns_, sample_ns_ / sample_), 1);
    sample_ns_ = sample_ = 0;
    return spent;
}

}  // namespace xsched::queue
