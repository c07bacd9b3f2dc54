// Objects of the fake NVIDIA kernel driver (fake/rm/fake_rm.h), allocated without libcuda for tests of the server,
// and their handover to it.
#pragma once

#include <dlfcn.h>
#include <sys/ioctl.h>

#include "fake/rm/fake_rm.h"
#include "host/rm_api.h"
#include "host/rm_control.h"
#include "server/hostile.h"

namespace xsched::test {

namespace rm = cuda::rm;

// Returns a function of the fake kernel driver, which this opens in this process: its calls go through no preloaded
// library.
template <typename Function>
Function* of_fake_rm(const char* name) {
    static void* const library = dlopen(built_file(XSCHED_FAKE_RM).c_str(), RTLD_NOW | RTLD_LOCAL);
    auto* function = library != nullptr ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
    if (function == nullptr) abort();
    return function;
}

// One open file of the driver's, with a client, a device, a subdevice, a group and a channel.
class RmProcess {
public:
    static constexpr uint32_t kChannelClass = 0xc86f, kChannel = 0x5c000010, kGroup = 0x5c000008;
    static constexpr uint64_t kDevice = uint64_t{kDeviceTypeGPU} << 32 | 0x40u << 8;  // the fake driver's first

    // `client`: the number that the process chooses for its driver client; 0: the driver chooses it. The channels
    // have equal numbers in all processes, as with CUDA.
    explicit RmProcess(uint32_t client = 0) {
        file_.reset(of_fake_rm<decltype(fake_rm_open)>("fake_rm_open")());
        client_ = allocate(0, rm::NV01_ROOT_CLIENT, client);
        const uint32_t ordinal[16] = {};
        const uint32_t device = allocate(client_, rm::NV01_DEVICE_0, 0, ordinal);
        subdevice_ = allocate(device, rm::NV20_SUBDEVICE_0, 0);
        const rm::NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS group{0, 0, 0, rm::NV2080_ENGINE_TYPE_GR0};
        allocate(device, rm::KEPLER_CHANNEL_GROUP_A, kGroup, &group);
        allocate(kGroup, kChannelClass, kChannel);
    }
    // Returns false if the number was taken.
    bool made() const { return client_ != 0 && file_; }
    int file() const { return file_.get(); }
    uint32_t client() const { return client_; }
    void free_client() {
        rm::NVOS00_PARAMETERS request{client_, 0, client_, 0};
        call(rm::NV_ESC_RM_FREE, request);
    }
    uint32_t times_off() const {
        const auto* word = of_fake_rm<decltype(fake_rm_disabled)>("fake_rm_disabled")(file(), client_, kChannel);
        return word != nullptr ? word->load() : 0;
    }
    uint32_t timeslice_us() const {
        rm::NVA06C_CTRL_TIMESLICE_PARAMS parameters{};
        rm::NVOS54_PARAMETERS request{
            client_,           kGroup, rm::NVA06C_CTRL_CMD_GET_TIMESLICE, 0, reinterpret_cast<uintptr_t>(&parameters),
            sizeof parameters, 0};
        call(rm::NV_ESC_RM_CONTROL, request);
        return static_cast<uint32_t>(parameters.timesliceUs);
    }
    // Returns a handover as a CUDA program would make it. With another program's `client` it is what a hostile
    // program would make.
    std::string handover(uint64_t key, uint32_t client, uint32_t timeslice_us = fake::rm::kTimesliceUs) const {
        rm::ChannelSet set{};
        set.client = client;
        set.subdevice = subdevice_;
        set.group_count = set.channel_count = 1;
        set.groups[0] = kGroup;
        set.timeslices_us[0] = timeslice_us;
        set.channels[0] = kChannel;
        ipc::Handover head{};
        head.magic = ipc::kMagic;
        head.version = ipc::kVersion;
        head.platform = kPlatformCUDA;
        head.bytes = sizeof set;
        head.device = kDevice;
        head.key = key;
        return std::string(reinterpret_cast<const char*>(&head), offsetof(ipc::Handover, data)) +
               std::string(reinterpret_cast<const char*>(&set), sizeof set);
    }
    bool hand_over(TestClient& to, uint64_t key, uint32_t client,
                   uint32_t timeslice_us = fake::rm::kTimesliceUs) const {
        const std::string packet = handover(key, client, timeslice_us);
        return send_descriptors(to.socket(), packet.data(), packet.size(), {file()});
    }
    bool hand_over(TestClient& to) const { return hand_over(to, 1, client_); }

private:
    template <typename Request>
    void call(unsigned number, Request& request) const {
        using Ioctl = int(int, unsigned long, ...);
        of_fake_rm<Ioctl>("ioctl")(file(), _IOC(_IOC_READ | _IOC_WRITE, 'F', number, sizeof request), &request);
    }
    uint32_t allocate(uint32_t parent, uint32_t object_class, uint32_t number, const void* parameters = nullptr) const {
        rm::NVOS64_PARAMETERS request{client_, parent, number, object_class, reinterpret_cast<uintptr_t>(parameters), 0,
                                      0,       0,      0};
        call(rm::NV_ESC_RM_ALLOC, request);
        return request.status == rm::NV_OK ? request.hObjectNew : 0;
    }

    base::UniqueFd file_;
    uint32_t client_ = 0;
    uint32_t subdevice_ = 0;
};

// Adds a queue at level 3 of such a process. `gang` not 0: the queues of one gang run beside each other, and make room
// in one call.
inline void add_rm_queue(TestClient& client, int32_t priority, uint64_t gang = 0) {
    ipc::QueueSlot& slot = client.slot(0);
    make_slot(client.region(), 0, 0x1, RmProcess::kDevice, priority, 5 * base::kMillisecond);
    slot.platform = kPlatformCUDA;
    slot.levels = 0b1110;
    slot.level = kPreemptLevelInterrupt;
    slot.switch_us = 170;
    slot.off_us = 700;
    slot.most_off_us = 1000;
    slot.interrupt_us = 350;
    slot.gang = gang;
    ipc::ring_doorbell(client.header());
}

// Acts as the client's agent: reports to the server that the last directive has been carried out.
inline void answer(TestClient& client) { client.header().carried_out.store(client.header().directive.load()); }

}  // namespace xsched::test
