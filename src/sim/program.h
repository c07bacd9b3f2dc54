// A simulated program's thread: it launches bursts of kernels as its specification says, or kernels without end. It
// launches, waits and works on the host, and notes how long its bursts took.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/agenda.h"
#include "sim/arrivals.h"
#include "sim/observer.h"
#include "sim/process.h"
#include "sim/workload.h"

namespace xsched::sim {

class Server;

struct ProgramResults {
    std::vector<int64_t> latency_ns;  // of the bursts after the warm-up
    uint64_t bursts = 0;
    uint64_t kernels = 0;  // complete
    uint64_t launched = 0;
    int64_t longest_wait_ns = 0;  // longest time with work but without a completion
};

class Program final : public Actor, public ProgramTold {
public:
    Program(Agenda& agenda, Process& process, const Workload& workload, const ProgramSpec& spec, Observer* observer,
            Random random);

    // Opens its queues, and begins.
    void begin(Server* server, int64_t now_ns);
    void wake(int64_t now_ns) override;

    // --- its queues
    void completed(int64_t now_ns) override;
    // Notes that directives were written into its slots.
    void directed(int64_t now_ns) override;
    // --- its memory
    void memory_changed(int64_t now_ns) override;
    bool has_no_work() const override { return results_.launched == results_.kernels; }

    const ProgramResults& results() const { return results_; }
    bool ended() const { return step_ == Step::kEnded; }
    // Begins no further burst after the present one.
    void stop() { stopped_ = true; }
    // Returns whether the program has ended, rests or waits for memory, with all of its commands complete.
    bool settled() const {
        const bool at_rest = step_ == Step::kEnded || step_ == Step::kRest || step_ == Step::kNotYet;
        return (at_rest || waits_for_memory_) && results_.launched == results_.kernels;
    }
    bool waits_for_memory() const { return waits_for_memory_; }
    // Return since when the program has had work without a break, and since when it has incomplete work without
    // progress.
    int64_t works_since_ns() const { return works_since_ns_; }
    int64_t waits_since_ns() const { return results_.launched != results_.kernels || blocked_ ? progress_ns_ : 0; }
    const ProgramSpec& spec() const { return spec_; }
    Process& process() { return process_; }
    uint64_t events() const { return events_; }

private:
    enum class Step : uint8_t { kNotYet, kStart, kRest, kAllocate, kLaunch, kSync, kReturn, kEnded };
    struct Launched {
        uint32_t queue;
        uint64_t mark;
    };
    bool over(int64_t now_ns) const { return stopped_ || now_ns >= spec_.end_ns; }
    bool replays() const { return !spec_.replay.empty(); }
    int64_t next_burst_ns(int64_t now_ns);
    const Burst& burst() const {
        return spec_.change.after != 0 && results_.bursts >= spec_.change.after ? spec_.change.burst : spec_.burst;
    }
    bool streams() const { return spec_.arrival.kind == ArrivalKind::kStream; }
    void start(int64_t now_ns);
    bool has_allocated(uint64_t bytes, int64_t now_ns);
    void end(int64_t now_ns);
    void rest(int64_t now_ns);
    void begin_burst(int64_t now_ns);
    void divide_burst();
    int64_t next_kernel_ns();
    bool waits_now() const;
    void allocate_for_burst(int64_t now_ns);
    void launch(int64_t now_ns);
    void launched(int64_t host_ns, int64_t now_ns);
    void begin_sync(int64_t now_ns);
    bool sync_done() const;
    void returned(int64_t now_ns);
    void end_burst(int64_t now_ns);
    void announce(int64_t at_ns, int64_t now_ns);

    Agenda& agenda_;
    Process& process_;
    const ProgramSpec& spec_;
    const DeviceCosts& costs_;
    Observer* observer_;
    Random random_;
    Arrivals arrivals_;
    Server* server_ = nullptr;
    uint32_t warm_up_;
    Step step_ = Step::kNotYet;
    bool blocked_ = false;  // in a launch
    bool stopped_ = false;
    bool waits_for_memory_ = false;
    int64_t kernel_ns_ = 0;  // of the present launch
    int64_t burst_began_ns_ = 0;
    int64_t burst_kernels_ = 0;
    int64_t burst_launched_ = 0;
    int64_t burst_waits_ = 1;
    int64_t burst_kernel_ns_ = 0;  // 0: each kernel has a length of its own
    int64_t pause_ns_ = 0;         // after each wait but the last
    double part_ = 0;              // of all bursts, those that are no longer than the present one
    std::vector<uint64_t> marks_;  // by queue, the command that it waits for; 0: none
    std::deque<Launched> ahead_;  // of a stream
    uint32_t next_queue_ = 0;
    size_t replayed_ = 0;
    int64_t progress_ns_ = 0;
    int64_t works_since_ns_ = 0;
    uint64_t events_ = 0;
    ProgramResults results_;
};

}  // namespace xsched::sim
