// Which channels this process has on which GPU, as seen in its calls to NVIDIA's kernel driver.
//
// The driver's user-space library allocates one client per process, and under it a device and subdevice per GPU. Under
// the device it allocates a channel group per CUDA context and engine, with its channels. The shim hands every such
// call in after the kernel has answered it. An object that is freed is forgotten, with all below it; fork's child
// forgets everything, since the parent's objects are not its own. Any thread; the lock is a leaf and never held across
// a call.
#pragma once

#include <cstdint>

#include "host/rm_control.h"

namespace xsched::cuda {

// One of NVIDIA's calls as the library made it; `result` is ioctl's. Cheap for calls that allocate nothing of interest.
void record_call(int fd, unsigned long request, const void* argument, int result);
// Whether `request` with `argument` frees something that is recorded, or that contains it. Before the call.
bool frees_recorded(unsigned long request, const void* argument);

// A client's compute channels on one GPU, and perhaps those of copy engines.
struct RecordedSet {
    rm::ChannelSet set{};
    int fd = -1;  // on which the library allocated the client: the driver takes calls on no other
    uint32_t device = 0;  // the driver's device object, which names the set together with set.client
    uint32_t address = 0;  // PCI, as set by note_address
    bool address_known = false;
    bool incomplete = false;  // it has more groups or channels than a set holds, and must not be used
};

// Visits every client's every GPU that has compute channels, in no order, until `visit` returns false. The set is a
// copy: calls may be made.
void for_each_recorded(bool (*visit)(const RecordedSet& recorded, void* data), void* data);
// Notes an attribute that the driver gave a device object, kept until the object is freed. The same of a group's
// timeslice.
void note_address(uint32_t client, uint32_t device, uint32_t address);
void note_timeslice(uint32_t client, uint32_t group, uint32_t us);

// This process makes large copies from a device, or to it: its sets contain from here on the channels of copy engines
// as well (but not their groups: timeslices are of kernels alone). For good: channels that are disabled must not leave
// the set by which they are enabled again.
void note_copies();
bool copies_noted();

// Whether a set of it may be incomplete: there are more groups for kernels, or more channels, than one set holds. On a
// machine with several GPUs they may be of several sets. Without a lock.
bool record_is_large();
// Rises with every change of what for_each_recorded visits.
uint32_t record_serial();
// For the log: "1 client, 4 channel groups (engines 1 11 12 13) with 20 channels, 8 of them for kernels".
void describe_record(char* text, unsigned bytes);
// There was no memory for an object: the record is incomplete and must not be used.
bool record_incomplete();
// This process is confined to a part of a GPU (MIG).
bool record_has_partition();
// Fork's child, and tests.
void forget_record();

}  // namespace xsched::cuda
