// The fake kernel driver (libfakerm.so): NVIDIA's channel groups and channels as far as level 3 needs them, in files
// that several processes map. Preloaded behind the shim, and into xserver; it takes the C library's ioctl and fstat,
// and passes on what is not about its own files.
//
// A file is what one open of /dev/nvidiactl is: it can be sent to another process, which then may make the same calls.
// Opening the device again gives another file. A control on another file's client is refused, for any caller. But the
// list of channels in such a control may name those of every file: so does the real driver (docs/SECURITY.md). A client
// has another number in each process. A process may choose its number, if no client has it. The fake CUDA driver
// allocates its contexts' channels here and runs nothing on those that are disabled, also in the middle of a kernel.
//
// Environment:
//   FAKE_RM_DIR=path         where files are made, named PID-N; unset: there is no kernel driver
//   FAKE_RM_REFUSE=cmd:status[,...]  a control (hexadecimal) that fails with that status (hexadecimal)
//   FAKE_RM_NO_EFFECT=1      channels are disabled for show
//   FAKE_RM_DELAY_US=n       each control takes so long, half of it after its effect
//   FAKE_RM_FREEZE=1         the process is stopped (SIGSTOP) as it comes back from the first call that disables
//   channels
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace fake::rm {

constexpr uint64_t kMagic = 0x3144724d656b6146;
constexpr unsigned kMostObjects = 4096;
constexpr uint32_t kTimesliceUs = 2048;

struct Object {
    uint32_t used;
    uint32_t client;
    uint32_t handle;
    uint32_t parent;
    uint32_t object_class;
    uint32_t engine;  // a group's
    uint32_t timeslice_us;  // a group's
    uint32_t gpu;  // a device's ordinal
    std::atomic<uint32_t>
        disabled;  // a channel's: how many disablings no enabling has undone, as the driver counts them
    uint32_t shown_disabled;  // with FAKE_RM_NO_EFFECT
};

// The state of a file.
struct State {
    uint64_t magic;
    pthread_mutex_t mutex;  // shared by the processes, robust
    uint32_t next_handle;
    std::atomic<uint32_t> disables, enables, timeslices, refused;  // controls so far
    std::atomic<uint32_t> together;  // of the disables: with channels of other files
    std::atomic<uint32_t> kept_off;  // of the disables: without taking anything off (here all that runs stops at once)
    std::atomic<int32_t> last_pid;  // whose the last control was
    Object objects[kMostObjects];
};

}  // namespace fake::rm

extern "C" {
// Returns the descriptor of an opened /dev/nvidiactl; -1: there is none.
int fake_rm_open(void);
// Returns the word that is not 0 while the channel is disabled.
const std::atomic<uint32_t>* fake_rm_disabled(int fd, uint32_t client, uint32_t channel);
}
