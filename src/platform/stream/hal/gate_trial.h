// Tries a gate on a stream of our own before anything of the program's stands behind one: whether what follows it
// waits, and goes on when this process, and another one, stores to the word. And what a gate costs there. For platforms
// whose gates have met no real device (kTriesGates). On a launching thread, under a DriverUse.
#pragma once

#include "platform/stream/hal/hwqueue_state.h"
#include "queue/device.h"
#include "vendor.h"

namespace xsched::stream {

// A word that nothing else uses meanwhile, 0 at first, as the host and the device see it.
struct TrialWord {
    void* host = nullptr;
    int file = -1;  // of the page that begins with it, for another process; -1: this one alone stores there
    bool wide = false;  // 64 bits: memory of the driver's own making
    DevicePtr device{};
};

enum class GateTrial {
    kWorks,
    kUnclear,  // the stream had no turn within the time; another queue tries again
    kHoldsNothing,  // what follows a closed gate does not wait
    kNotSeen,  // a store does not open it
    kOthersNotSeen,  // another process's does not
    kRefused  // `code`: by the driver
};

struct TrialResult {
    GateTrial gate = GateTrial::kUnclear;
    Result code = kSuccess;
    XqGateCost cost{};
    bool by_others = false;  // another process's store opened one too
};

// In memory of the kind that a process shares with its scheduler; never unmapped, as the device may wait on it. `host`
// is nullptr: there is none. Whoever gets it closes `file`.
TrialWord make_trial_word();
// Takes a few milliseconds where gates work, and 100 where stores are not seen.
TrialResult try_gate(const Api& api, const TrialWord& word);
// For the log; nullptr: there is nothing to say.
const char* sentence(GateTrial trial);

}  // namespace xsched::stream
