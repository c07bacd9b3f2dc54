#include "host/rm_control.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "host/rm_api.h"

namespace xsched::cuda::rm {
namespace {

constexpr uint32_t kMostPerCall = NV2080_CTRL_FIFO_DISABLE_CHANNELS_MAX_ENTRIES;
constexpr int kMostTries = 16;  // tries of a call that signals interrupt

Outcome control(Ioctl call, int fd, uint32_t client, uint32_t object, uint32_t command, void* parameters,
                size_t bytes) {
    NVOS54_PARAMETERS request{};
    request.hClient = client;
    request.hObject = object;
    request.cmd = command;
    request.params = reinterpret_cast<uintptr_t>(parameters);
    request.paramsSize = static_cast<uint32_t>(bytes);
    int result = -1;
    for (int tries = 0; result != 0 && tries < kMostTries; ++tries) {
        result = call(fd, kControlRequest, &request);
        if (result != 0 && errno != EINTR && errno != EAGAIN) break;
    }
    Outcome outcome;
    outcome.error = result != 0 ? errno : 0;
    outcome.status = result != 0 ? 0 : request.status;
    return outcome;
}

enum class Switch { kEnable, kDisable, kDisableScheduling };

Outcome switch_channels(Ioctl call, int fd, const ChannelSet& set, uint32_t first, uint32_t count, Switch how) {
    NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS parameters{};
    parameters.bDisable = how != Switch::kEnable ? 1 : 0;
    parameters.bOnlyDisableScheduling = how == Switch::kDisableScheduling ? 1 : 0;
    parameters.numChannels = count;
    for (uint32_t i = 0; i < count; ++i) {
        parameters.hClientList[i] = set.client;
        parameters.hChannelList[i] = set.channels[first + i];
    }
    return control(call, fd, set.client, set.subdevice, NV2080_CTRL_CMD_FIFO_DISABLE_CHANNELS, &parameters,
                   sizeof parameters);
}

// Returns whether a call failed because the channels or other objects no longer exist: then nothing is left to be done
// to them.
bool is_gone(const Outcome& outcome) {
    return outcome.error == 0 &&
           (outcome.status == NV_ERR_INVALID_CHANNEL || outcome.status == NV_ERR_INVALID_OBJECT ||
            outcome.status == NV_ERR_INVALID_OBJECT_HANDLE || outcome.status == NV_ERR_OBJECT_NOT_FOUND);
}

}  // namespace

const char* sentence(const Outcome& outcome) {
    if (outcome.error == EPERM || outcome.error == EACCES) return "the system refuses the call (a container's limits?)";
    if (outcome.error == EBADF) return "the program closed the driver's descriptor";
    if (outcome.error == ENOTTY || outcome.error == EINVAL) return "the descriptor is not NVIDIA's control device";
    if (outcome.error != 0) return "the system refuses the call";
    switch (outcome.status) {
        case NV_OK: return "done";
        case NV_ERR_INSUFFICIENT_PERMISSIONS: return "the driver allows it to administrators alone";
        case NV_ERR_INVALID_CLIENT: return "the driver does not take it from this descriptor";
        case NV_ERR_NOT_SUPPORTED:
            return "the driver does not support it (a driver without GSP firmware, a virtual GPU or MIG?)";
        case NV_ERR_INVALID_STATE: return "the driver cannot do it in its present state";
        default: return is_gone(outcome) ? "the channels do not exist any more" : "the driver refuses it";
    }
}

bool is_control_device(int fd) {
    struct stat info{};
    return fd >= 0 && fstat(fd, &info) == 0 && S_ISCHR(info.st_mode) && major(info.st_rdev) == NV_MAJOR_DEVICE_NUMBER &&
           minor(info.st_rdev) == NV_MINOR_DEVICE_NUMBER_CONTROL_DEVICE;
}

bool is_sound(const ChannelSet& set) {
    return set.group_count <= ChannelSet::kMostGroups && set.channel_count <= ChannelSet::kMostChannels;
}

Outcome disable(Ioctl call, int fd, const ChannelSet& set, bool lets_run) {
    Outcome outcome;
    const Switch how = lets_run ? Switch::kDisableScheduling : Switch::kDisable;
    for (uint32_t first = 0; first < set.channel_count && outcome.good(); first += kMostPerCall)
        outcome = switch_channels(call, fd, set, first, std::min(kMostPerCall, set.channel_count - first), how);
    if (!outcome.good()) enable(call, fd, set);
    return outcome;
}

Outcome enable(Ioctl call, int fd, const ChannelSet& set) {
    Outcome worst;
    for (uint32_t first = 0; first < set.channel_count; first += kMostPerCall) {
        const uint32_t count = std::min(kMostPerCall, set.channel_count - first);
        Outcome outcome = switch_channels(call, fd, set, first, count, Switch::kEnable);
        if (outcome.good()) continue;
        // If a channel of the list does not exist any more, the driver refuses the whole list; then the channels are
        // enabled one by one.
        outcome = Outcome{};
        for (uint32_t i = 0; i < count; ++i) {
            const Outcome single = switch_channels(call, fd, set, first + i, 1, Switch::kEnable);
            if (!single.good() && !is_gone(single)) outcome = single;
        }
        if (!outcome.good()) worst = outcome;
    }
    return worst;
}

namespace {

// How long after a proof of ownership the proved call may come. "Safety": later, another program may have the client's
// number. Measured: a program's first channel comes at least 48 ms after its client
// (bench/results/foreign_channels.json).
constexpr int64_t kProofHoldsNs = 10 * base::kMillisecond;

// Proves that each set's descriptor owns its client, for several sets on one GPU. A single set needs no proof: the
// driver itself checks whose client makes the call.
Outcome prove_all(Ioctl call, std::span<const Owned> parts) {
    Outcome outcome;
    uint32_t first_gpu = 0;
    for (size_t i = 0; i < parts.size() && parts.size() > 1 && outcome.good(); ++i) {
        uint32_t gpu = 0;
        outcome = prove(call, parts[i].fd, parts[i].set, &gpu);
        if (i == 0) first_gpu = gpu;
        if (outcome.good() && gpu != first_gpu) outcome.status = NV_ERR_INVALID_OBJECT_PARENT;
    }
    return outcome;
}

// Switches all channels of the sets on or off, with as few calls as the driver's lists allow.
Outcome switch_all(Ioctl call, std::span<const Owned> parts, Switch how) {
    NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS parameters{};
    parameters.bDisable = how != Switch::kEnable ? 1 : 0;
    Outcome outcome;
    const auto flush = [&] {
        if (parameters.numChannels != 0 && outcome.good())
            outcome = control(call, parts[0].fd, parts[0].set.client, parts[0].set.subdevice,
                              NV2080_CTRL_CMD_FIFO_DISABLE_CHANNELS, &parameters, sizeof parameters);
        parameters.numChannels = 0;
    };
    for (const Owned& part : parts)
        for (uint32_t i = 0; i < part.set.channel_count; ++i) {
            parameters.hClientList[parameters.numChannels] = part.set.client;
            parameters.hChannelList[parameters.numChannels] = part.set.channels[i];
            if (++parameters.numChannels == kMostPerCall) flush();
        }
    flush();
    return outcome;
}

// Enables channels that were disabled under a client's number which another process has taken over. Uses a descriptor
// that still owns its own client.
void enable_for(Ioctl call, const Owned& by, const ChannelSet& lost) {
    for (uint32_t i = 0; i < lost.channel_count; ++i) {
        NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS one{};
        one.numChannels = 1;
        one.hClientList[0] = lost.client;
        one.hChannelList[0] = lost.channels[i];
        control(call, by.fd, by.set.client, by.set.subdevice, NV2080_CTRL_CMD_FIFO_DISABLE_CHANNELS, &one, sizeof one);
    }
}

void undo(Ioctl call, std::span<const Owned> parts) {
    const Owned* sound = nullptr;
    for (const Owned& part : parts)
        if (enable(call, part.fd, part.set).good() && prove(call, part.fd, part.set).good()) sound = &part;
    for (const Owned& part : parts)
        if (sound != nullptr && !prove(call, part.fd, part.set).good()) enable_for(call, *sound, part.set);
}

Outcome prove_in_time(Ioctl call, std::span<const Owned> parts) {
    const int64_t began = base::now_ns();
    Outcome outcome = prove_all(call, parts);
    if (outcome.good() && parts.size() > 1 && base::now_ns() - began > kProofHoldsNs) outcome.error = ETIMEDOUT;
    return outcome;
}

}  // namespace

Outcome prove(Ioctl call, int fd, const ChannelSet& set, uint32_t* gpu) {
    NV2080_CTRL_GPU_GET_ID_PARAMS id{};
    Outcome outcome = control(call, fd, set.client, set.subdevice, NV2080_CTRL_CMD_GPU_GET_ID, &id, sizeof id);
    if (gpu != nullptr) *gpu = id.gpuId;
    uint32_t us = 0;  // the value for drivers without that query
    if (outcome.status == NV_ERR_NOT_SUPPORTED && set.group_count != 0)
        outcome = read_timeslice(call, fd, set.client, set.groups[0], &us);
    return outcome;
}

Outcome disable_all(Ioctl call, std::span<const Owned> parts) {
    Outcome outcome = prove_in_time(call, parts);
    if (!outcome.good()) return outcome;
    outcome = switch_all(call, parts, Switch::kDisable);
    if (!outcome.good()) {
        switch_all(call, parts, Switch::kEnable);
        return outcome;
    }
    outcome = prove_all(call, parts);
    if (!outcome.good()) undo(call, parts);
    return outcome;
}

Outcome enable_all(Ioctl call, std::span<const Owned> parts) {
    const Outcome outcome = prove_in_time(call, parts);
    return outcome.good() ? switch_all(call, parts, Switch::kEnable) : outcome;
}

Outcome set_timeslices(Ioctl call, int fd, const ChannelSet& set, uint32_t us) {
    Outcome worst;
    for (uint32_t i = 0; i < set.group_count; ++i) {
        NVA06C_CTRL_TIMESLICE_PARAMS parameters{us != 0 ? us : set.timeslices_us[i]};
        if (parameters.timesliceUs == 0) continue;
        const Outcome outcome =
            control(call, fd, set.client, set.groups[i], NVA06C_CTRL_CMD_SET_TIMESLICE, &parameters, sizeof parameters);
        if (!outcome.good() && !is_gone(outcome)) worst = outcome;
    }
    return worst;
}

Outcome read_timeslice(Ioctl call, int fd, uint32_t client, uint32_t group, uint32_t* us) {
    NVA06C_CTRL_TIMESLICE_PARAMS parameters{};
    const Outcome outcome =
        control(call, fd, client, group, NVA06C_CTRL_CMD_GET_TIMESLICE, &parameters, sizeof parameters);
    *us = outcome.good() ? static_cast<uint32_t>(parameters.timesliceUs) : 0;
    return outcome;
}

Outcome read_pci_address(Ioctl call, int fd, uint32_t client, uint32_t subdevice, uint32_t* address) {
    NV2080_CTRL_GPU_GET_ID_PARAMS id{};
    Outcome outcome = control(call, fd, client, subdevice, NV2080_CTRL_CMD_GPU_GET_ID, &id, sizeof id);
    if (!outcome.good()) return outcome;
    NV0000_CTRL_GPU_GET_PCI_INFO_PARAMS pci{};
    pci.gpuId = id.gpuId;
    outcome = control(call, fd, client, client, NV0000_CTRL_CMD_GPU_GET_PCI_INFO, &pci, sizeof pci);
    if (outcome.good()) *address = (pci.domain & 0xffff) << 16 | (pci.bus & 0xffu) << 8 | (pci.slot & 0x1fu) << 3;
    return outcome;
}

}  // namespace xsched::cuda::rm
