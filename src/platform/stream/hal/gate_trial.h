// Tries a gate on a stream of our own before anything of the program's stands behind one: whether what follows it
// waits, and goes on when this process, and another one, stores to the word. And what a gate costs there. For platforms
// whose gates have met no real device (kTriesGates). On a launching thread, under a DriverUse.
//
// A trial takes all that it needs at its first run, while the program makes a context or a stream. If that run says
// nothing, the trial runs again later. By then the program may have entered a sandbox, so later runs only use what is
// there: they make no stream, file or mapping, and start nothing.
#pragma once

#include "platform/stream/hal/hwqueue_state.h"
#include "queue/device.h"
#include "vendor.h"

namespace xsched::stream {

// A word that nothing else uses meanwhile, as the host and the device see it.
struct TrialWord {
    void* host = nullptr;
    // The same word at another address, for a store as another process makes it; nullptr: none is tried.
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

// The word of a device in memory of the kind that a process shares with its scheduler; never unmapped, as the device
// may wait on it. All devices' words are in one page, which the first call makes. `host` is nullptr: there is none.
TrialWord trial_word(int device_index);

// A stream of our own, and its marks.
class TrialStream {
public:
    explicit TrialStream(const Api& api) : api_(api) {}
    ~TrialStream();
    TrialStream(const TrialStream&) = delete;
    TrialStream& operator=(const TrialStream&) = delete;

    Result make();
    bool made() const { return behind_ != nullptr; }
    Result put_gate(const TrialWord& word, uint32_t least) const;
    bool reaches_gate() const { return passes(before_); }
    bool passes_gate() const { return passes(behind_); }
    bool has_passed_gate() const { return is_passed(behind_); }
    // With the word open.
    XqGateCost measure(const TrialWord& word) const;
    void write(const TrialWord& word) const;
    // Nothing of the stream waits any more. A stream without this is left to itself: its end may never come.
    void end();

private:
    bool is_passed(Event event) const;
    bool passes(Event event) const;

    const Api& api_;
    Stream stream_ = nullptr;
    Event before_ = nullptr;
    Event behind_ = nullptr;
};

// The first run is the one with all rights.
class Trial {
public:
    Trial(const Api& api, const TrialWord& word) : word_(word), stream_(api), second_(api) {}

    // Takes a few milliseconds where gates work, and 100 where stores are not seen.
    TrialResult first_run();
    // After runs that were unclear. At once, if the device has not even come to the last run's gate.
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

// For the log; nullptr: there is nothing to say.
const char* sentence(GateTrial trial);

}  // namespace xsched::stream
