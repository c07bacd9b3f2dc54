// How the server takes a client's work off a device, and lets it go on, in the client's place: one row per platform
// whose kernel driver allows that to somebody else. Any thread; a call takes up to some milliseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xsched::server {

// The bytes of a client's handover (ipc::Handover): the platform knows their meaning.
using Handed = std::vector<unsigned char>;

struct InterruptOutcome {
    bool good = true;
    const char* sentence = "";  // for people: what it means
    int error = 0;              // errno
    uint32_t status = 0;        // the driver's own answer
};

// A client's set, and the descriptor that came with it.
struct Part {
    int fd = -1;
    const Handed* handed = nullptr;
};

struct Interrupts {
    uint32_t platform;       // XPlatform
    const char* descriptor;  // what is to come along
    bool (*is_descriptor)(int fd);
    // A set that came from another process is looked at once before it is used: its counts here,
    bool (*is_sound)(const Handed& handed);
    // and whether it is the descriptor's own, and of that device (XDevice), by a call that changes nothing. A process
    // can name others' channels beside a sound descriptor of its own.
    InterruptOutcome (*prove)(int fd, const Handed& handed, uint64_t device);
    std::string (*describe)(const Handed& handed);
    InterruptOutcome (*stop)(int fd, const Handed& handed);
    InterruptOutcome (*start)(int fd, const Handed& handed);
    // The same for several processes' work on one device, in as few calls as can be, by the descriptor of one of them.
    // Each set is proved once more for each call. The rest is undone where it fails midway. Null: each by itself.
    InterruptOutcome (*stop_all)(const std::vector<Part>& parts);
    InterruptOutcome (*start_all)(const std::vector<Part>& parts);
    // 0: the driver's own, as the client says. None is longer than `most_us`.
    void (*set_timeslices)(int fd, const Handed& handed, uint32_t us, uint32_t most_us);
};

// nullptr: nobody but the client itself can do it there.
const Interrupts* interrupts_of(uint32_t platform);
// Whether the descriptor is what some platform's clients hand over.
bool is_interrupt_descriptor(int fd);

}  // namespace xsched::server
