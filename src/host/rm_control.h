// Calls NVIDIA's kernel driver about channels that another library allocated: takes them off the device, puts them
// back, changes their timeslices. Used in the process that owns them; for a process that does not answer, by xserver.
// So it uses only libc, and has no state and no log. A call takes 0.3 to 1 ms. Any thread; no lock of ours is held that
// a launch may need.
//
// Words: channel, what the hardware takes work from; channel group (TSG), the channels that share a timeslice, of one
// CUDA context and engine; client, subdevice, the driver's names for one user and one GPU.
#pragma once

#include <cstdint>
#include <span>

namespace xsched::cuda::rm {

// A function like libc's ioctl, with the argument that NVIDIA's requests take.
using Ioctl = int (*)(int fd, unsigned long request, void* argument);

// All compute channels that one client has on one GPU. Sent over xserver's socket as it is (ipc/protocol.h).
struct ChannelSet {
    // Limits of a set. They suffice for about 50 contexts that copy, or 128 that do not: each has one group and 8
    // channels for kernels and 12 channels for copies (measured: H100, driver 580). xserver's thread calls the driver
    // once for each 64 channels of a process, up to 1 ms each. So the limits bound how long another user's order waits
    // ("safety").
    static constexpr uint32_t kMostGroups = 128;
    static constexpr uint32_t kMostChannels = 1024;

    uint32_t client;
    uint32_t subdevice;
    uint32_t group_count;
    uint32_t channel_count;
    uint32_t groups[kMostGroups];
    uint32_t timeslices_us[kMostGroups];  // as the driver set them; 0: unknown
    uint32_t channels[kMostChannels];
};

// How a call to the kernel driver ended.
struct Outcome {
    int error = 0;  // errno, if the call itself failed
    uint32_t status = 0;  // otherwise RM's own answer
    bool good() const { return error == 0 && status == 0; }
};
// Returns a sentence that says what the outcome means and what may be the cause. The text is static.
const char* sentence(const Outcome& outcome);

// Returns whether the descriptor is the driver's control device, /dev/nvidiactl.
bool is_control_device(int fd);
// Returns whether all counts are in range. Call once before using a set that came from another process.
bool is_sound(const ChannelSet& set);

// Stops all channels of the set and returns when none of them runs any more, or lets them go on. `lets_run`: what has
// the device at this moment keeps it until another context takes it, and only does not come back. The driver counts: a
// channel runs once it was enabled as often as it was disabled, and enabling one that runs is not counted (measured,
// docs/decisions/002). Disabling is undone if it fails midway; enabling skips channels that do not
// exist any more.
Outcome disable(Ioctl call, int fd, const ChannelSet& set, bool lets_run = false);
Outcome enable(Ioctl call, int fd, const ChannelSet& set);

// Proves that the set's client and subdevice belong to the descriptor, by a query that changes nothing and takes 5 us.
// If the descriptor did not allocate the client, the driver refuses the query, also to root (NV_ERR_INVALID_CLIENT;
// measured: bench/results/foreign_channels.json). Channels need no proof of their own, since the driver looks each up
// in the client that is named beside it. `gpu`: receives the driver's number of the GPU, if not null.
Outcome prove(Ioctl call, int fd, const ChannelSet& set, uint32_t* gpu = nullptr);

// A set of channels, and the descriptor on which its process allocated it.
struct Owned {
    int fd;
    ChannelSet set;
};

// Like disable, for the channels of several clients of one GPU at once: a call costs the same for channels of one owner
// or several (docs/decisions/010). The first set's descriptor and subdevice make the calls. The driver does not check
// who owns the channels in a list, so each set is proved on its own descriptor just before. After disabling, each set
// is proved again, since a process may free its client at any time and another may take that number. If a proof fails
// or a channel is gone, the whole call fails and disabling is undone.
Outcome disable_all(Ioctl call, std::span<const Owned> parts);
Outcome enable_all(Ioctl call, std::span<const Owned> parts);

// Sets the timeslice of every channel group. `us` 0 restores each group's own, where that is known.
Outcome set_timeslices(Ioctl call, int fd, const ChannelSet& set, uint32_t us);
Outcome read_timeslice(Ioctl call, int fd, uint32_t client, uint32_t group, uint32_t* us);
// Asks the driver for the GPU's PCI address. Packs it into 32 bits as platform/stream/hal/identity.h does: 16 bits of
// the domain, 8 of the bus, 5 of the device, 3 zeros.
Outcome read_pci_address(Ioctl call, int fd, uint32_t client, uint32_t subdevice, uint32_t* address);

}  // namespace xsched::cuda::rm
