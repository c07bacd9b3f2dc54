// The preemption mechanisms (mechanism.def). A closed gate holds what has not started; beyond it:
//  - gate: nothing more. For commands that end soon.
//  - timeslice: a short one in the hardware, set long before. It preempts within one context switch and costs no call,
//    but each pause of the urgent unit lets the victim in and costs two switches, as does each end of that one's own
//    timeslice: for urgent units that use the device in one brief stretch.
//  - interrupt: what runs is taken off the device (level 3). Absolute, but it costs calls of some hundred microseconds:
//    for long commands, and urgent units that pause often. A short timeslice helps here too: the hardware has mostly
//    switched before the call is done, and the call need only keep the victim from coming back.
// Programs of one priority get no short timeslices: they would take turns at that rate, a context switch each time.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <iterator>

namespace xsched::sched {

enum class Mechanism : uint32_t {
#define XSCHED_MECHANISM(name, number, level, needs, urgent, victim, sentence) name = number,
#include "sched/facts/mechanism.def"
#undef XSCHED_MECHANISM
};
inline constexpr Mechanism kAllMechanisms[] = {
#define XSCHED_MECHANISM(name, ...) Mechanism::name,
#include "sched/facts/mechanism.def"
#undef XSCHED_MECHANISM
};
inline constexpr unsigned kMechanisms = std::size(kAllMechanisms);
const char* mechanism_sentence(Mechanism mechanism);
// Returns "kGate" and so on; "" for a mechanism that this version does not know.
const char* mechanism_name(Mechanism mechanism);

// How a suspended unit's running work is treated. The numbers go through shared memory.
enum class Interrupt : uint32_t {
    kNone = 0,  // it ends
    kTakenOff = 1,  // the running work is taken off the device
    kKeptOff = 2,  // the same, but a short timeslice already took it off: only its return is prevented
};

constexpr bool interrupts(Mechanism mechanism) { return mechanism >= Mechanism::kInterrupt; }

// The driver's own timeslice, about 2 ms, as the nearest power of two.
inline constexpr uint32_t kDriversTimesliceUs = 2048;  // driver
// Returns the timeslice for a rank among the priorities on a device. Rank 0, the most urgent, keeps the driver's own
// (0). The last rank gets a microsecond; the ranks between get values between.
uint32_t timeslice_us_of(unsigned rank, unsigned ranks);

}  // namespace xsched::sched
