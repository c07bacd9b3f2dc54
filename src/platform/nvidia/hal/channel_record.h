// Records which channels this process has on which GPU, from its calls to NVIDIA's kernel driver.
//
// The driver's user-space library allocates one client per process, and below it a device and subdevice per GPU. Below
// the device it allocates a channel group per context and engine, with its channels. CUDA's library and Vulkan's each
// have a client of their own. The shim passes every such
// call in, after the kernel has answered it. An object that is freed is forgotten with all objects below it. Fork's
// child forgets everything, since the parent's objects are not its own. Any thread; the lock is a leaf and never held
// across a call.
#pragma once

#include <cstdint>

#include "host/rm_control.h"

namespace xsched::nvidia {

namespace rm = cuda::rm;

// Records one call as the library made it; `result` is ioctl's. Costs little for calls that allocate nothing of
// interest.
void record_call(int fd, unsigned long request, const void* argument, int result);
// Returns whether `request` with `argument` frees a recorded object, or one that contains such an object. Call before
// the request is made.
bool frees_recorded(unsigned long request, const void* argument);

// A client's compute channels on one GPU, and perhaps those of copy engines.
struct RecordedSet {
    rm::ChannelSet set{};
    int fd = -1;  // on which the library allocated the client: the driver takes calls on no other
    uint32_t device = 0;  // the driver's device object, which names the set together with set.client
    uint32_t address = 0;  // PCI, as set by note_address
    bool address_known = false;
    bool shared = false;  // a group is another process's, which gives it to several (MPS)
    bool incomplete =
        false;  // it must not be used: more groups or channels than a set holds, or a process with a swapchain
};

// Visits each client's GPUs that have compute channels, in any order, until `visit` returns false. The set is a copy,
// so calls may be made.
void for_each_recorded(bool (*visit)(const RecordedSet& recorded, void* data), void* data);
// These functions note a value that the driver gave, until its object is freed: the address of a device object, or the
// timeslice of a group.
void note_address(uint32_t client, uint32_t device, uint32_t address);
void note_timeslice(uint32_t client, uint32_t group, uint32_t us);

// Notes that this process makes large copies from or to a device. From now on its sets include copy engines' channels,
// but not their groups, since timeslices matter for kernels only. This is permanent: a disabled channel must stay in
// the set by which it is enabled again.
void note_copies();
bool copies_noted();

// Notes that this process has so many more swapchains, or less (below 0). While it has any, its sets are incomplete:
// what a desktop shows may wait for its work.
void note_swapchains(int change);
bool has_swapchains();

// Returns whether a set may be incomplete: there are more kernel groups, or more channels, than one set holds. With
// several GPUs they may belong to several sets. Takes no lock.
bool record_is_large();
// Returns a number that grows with every change of the recorded sets.
uint32_t record_serial();
// Describes the record for the log: "1 client, 4 channel groups (engines 1 11 12 13) with 20 channels, 8 of them for
// kernels".
void describe_record(char* text, unsigned bytes);
// Returns whether there was no memory for an object: then the record must not be used.
bool record_incomplete();
// Returns whether this process is confined to a part of a GPU (MIG).
bool record_has_partition();
// Clears the record, in fork's child and in tests.
void forget_record();

}  // namespace xsched::nvidia
