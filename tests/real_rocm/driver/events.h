// KFD's events, which the runtime's threads wait for, and the HSA signals that make them. Any thread.
#pragma once

#include "emulator.h"

namespace kfd {

Answer create_event(kfd_ioctl_create_event_args& asked);
Answer destroy_event(uint32_t id);
Answer set_event(uint32_t id);
Answer reset_event(uint32_t id);
Answer wait_events(kfd_ioctl_wait_events_args& asked);
// Raises the event that tells the runtime that the GPU hung and was reset, with all memory lost.
void tell_of_reset();

// amd_signal_t, as far as packets need it.
struct Signal {
    int64_t kind;
    int64_t value;
    uint64_t mailbox;
    uint32_t event;
    uint32_t reserved;
    uint64_t began, ended;
};

int64_t value_of(uint64_t signal);
// Completes a packet: writes the begin and the end to its completion signal, lowers the signal's value by one, and
// raises the signal's event.
void complete(uint64_t signal, int64_t began_ns, int64_t ended_ns);

}  // namespace kfd
