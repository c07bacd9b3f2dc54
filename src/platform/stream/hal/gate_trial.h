// Tries a gate (a wait of the device on a word in memory) on a stream of our own before any of the program's work
// stands behind one. Tests that work behind it waits, and goes on when this process, or another one, stores to the
// word. Measures what a gate costs. For platforms whose gates have not been tested on real devices (kTriesGates). On a
// launching thread, under a DriverUse.
//
// The first run takes all resources of the trial, while the program creates a context or a stream. If it is
// inconclusive, the trial runs again later. By then the program may be in a sandbox, so later runs only use existing
// resources: they create no stream, file or mapping, and start nothing.
#pragma once

#include "base/no_copies.h"
#include "platform/stream/hal/hwqueue_state.h"
#include "queue/device.h"
#include "vendor.h"

namespace xsched::stream {

// A word that only the trial uses, with its addresses for the host and for the device.
struct TrialWord {
    void* host = nullptr;
    // A second address of the word, through which a store is made as another process makes it; nullptr: such a store is
    // not tried.
    uint32_t* elsewhere = nullptr;
    bool wide = false;  // 64 bits: memory of the driver's own making
    DevicePtr device{};
};

enum class GateTrial {
    kWorks,
    kUnclear,  // the stream had no turn within the time: the trial is to run again
    kHoldsNothing,  // what follows a closed gate does not wait
    kNotSeen,  // a store does not open it
    kOthersNotSeen,  // another process's does not
    kRefused  // `code`: by the driver
};

struct TrialResult {
    GateTrial gate = GateTrial::kUnclear;
    Result code = kSuccess;
    XqGateCost cost{};
    bool by_others = false;  // such a store as another process makes opened one too
};

// Returns the word for a device, in memory of the kind that a process shares with its scheduler. It is never unmapped,
// since the device may wait on it. All devices' words are in one page, which the first call maps. `host` nullptr: there
// is no such memory.
TrialWord trial_word(int device_index);

// A stream of our own for the trial, with an event before the gate and one behind it.
class TrialStream : base::NoCopies {
public:
    explicit TrialStream(const Api& api) : api_(api) {}
    ~TrialStream();

    Result make();
    bool made() const { return behind_ != nullptr; }
    Result put_gate(const TrialWord& word, uint32_t least) const;
    bool reaches_gate() const { return passes(before_); }
    bool passes_gate() const { return passes(behind_); }
    bool has_passed_gate() const { return is_passed(behind_); }
    // Measures the cost of gates, with the word open.
    XqGateCost measure(const TrialWord& word) const;
    void write(const TrialWord& word) const;
    // Releases everything that waits in the stream. A stream that is not ended so is left alone, since it may never
    // finish.
    void end();

private:
    bool is_passed(Event event) const;
    bool passes(Event event) const;

    const Api& api_;
    Stream stream_ = nullptr;
    Event before_ = nullptr;
    Event behind_ = nullptr;
};

// A trial. Its first run may create what it needs.
class Trial {
public:
    Trial(const Api& api, const TrialWord& word) : word_(word), stream_(api), second_(api) {}

    // Runs the trial. Takes a few milliseconds if gates work, and 100 ms if stores are not seen.
    TrialResult first_run();
    // Repeats an inconclusive trial. Returns at once if the device has not even reached the last run's gate.
    TrialResult next_run();

private:
    TrialResult run();
    GateTrial try_gate(bool* by_others);
    GateTrial try_from_outside(bool* opened);
    bool second_passes_open_gate();

    const TrialWord word_;
    TrialStream stream_;
    TrialStream second_;  // shows whether the device has a place at all
    bool makes_second_ = false;
};

// Returns a sentence for the log; nullptr: none is needed.
const char* sentence(GateTrial trial);

}  // namespace xsched::stream
