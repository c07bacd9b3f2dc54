// How the server takes a client's work off a device, and lets it run again, in place of the client. There is one row
// per platform whose kernel driver allows that to another process. Any thread; a call takes up to some milliseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xsched::server {

// The bytes of a client's handover (ipc::Handover), which the platform's functions understand.
using Handed = std::vector<unsigned char>;

struct InterruptOutcome {
    bool good = true;
    const char* sentence = "";  // what the outcome means, for people
    int error = 0;              // errno
    uint32_t status = 0;        // the driver's own status
};

// A client's set of channels, and the descriptor that came with it.
struct Part {
    int fd = -1;
    const Handed* handed = nullptr;
};

struct Interrupts {
    uint32_t platform;       // XPlatform
    const char* descriptor;  // name of the descriptor that must come with the set
    bool (*is_descriptor)(int fd);
    // Checks the counts in a set that came from another process. Called once, before the set is used.
    bool (*is_sound)(const Handed& handed);
    // Proves, by a call that changes nothing, that the descriptor owns the set and that the set is of that device
    // (XDevice). Without the proof a process could name another's channels beside its own descriptor.
    InterruptOutcome (*prove)(int fd, const Handed& handed, uint64_t device);
    std::string (*describe)(const Handed& handed);
    InterruptOutcome (*stop)(int fd, const Handed& handed);
    InterruptOutcome (*start)(int fd, const Handed& handed);
    // Stops several processes' work on one device, in as few calls as possible, through the descriptor of one of them.
    // Each set is proved again for each call. If it fails midway, everything is undone. Null: each process needs its
    // own call.
    InterruptOutcome (*stop_all)(const std::vector<Part>& parts);
    InterruptOutcome (*start_all)(const std::vector<Part>& parts);
    // Sets timeslices, none longer than `most_us`. `us` 0: the driver's own, as the client reports them.
    void (*set_timeslices)(int fd, const Handed& handed, uint32_t us, uint32_t most_us);
};

// Returns the platform's functions; nullptr if only the client itself can stop its work there.
const Interrupts* interrupts_of(uint32_t platform);
// Returns whether the descriptor is one that some platform's clients hand over.
bool is_interrupt_descriptor(int fd);

}  // namespace xsched::server
