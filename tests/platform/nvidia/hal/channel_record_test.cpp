// The record of calls to NVIDIA's kernel driver, from sequences of calls as its library makes them.
#include "platform/nvidia/hal/channel_record.h"

#include <gtest/gtest.h>

#include <vector>

#include "host/rm_api.h"
#include "support/child.h"

namespace xsched::nvidia {
namespace {

using namespace rm;

constexpr uint32_t kFirstClient = 0xc1d00001, kSecondClient = 0xc1d00002;
constexpr uint32_t kHopper = 0xc86f, kVolta = 0xc36f, kMemory = 0x3e, kVaSpace = 0x90f1;
constexpr uint32_t kCopyEngine = 0xb;
constexpr int kFd = 7;

enum class Form { kShort, kLong, kOldLong, kWrapped };

class ChannelRecord : public testing::TestWithParam<Form> {
protected:
    void SetUp() override { forget_record(); }
    void TearDown() override { forget_record(); }

    static unsigned long request(unsigned number, size_t bytes) {
        return _IOC(_IOC_READ | _IOC_WRITE, 'F', number, bytes);
    }
    // Passes an ioctl to the record of channels together with the kernel's answer, as if it had been made, plain or
    // wrapped in NV_ESC_IOCTL_XFER_CMD.
    void pass(unsigned number, void* parameters, size_t bytes, int fd = kFd, int result = 0) {
        if (form() == Form::kWrapped) {
            nv_ioctl_xfer_t wrapped{number, static_cast<uint32_t>(bytes), reinterpret_cast<uintptr_t>(parameters)};
            record_call(fd, request(NV_ESC_IOCTL_XFER_CMD, sizeof wrapped), &wrapped, result);
        } else {
            record_call(fd, request(number, bytes), parameters, result);
        }
    }
    void allocate(uint32_t client, uint32_t parent, uint32_t handle, uint32_t object_class,
                  const void* parameters = nullptr, uint32_t status = NV_OK, int fd = kFd, int result = 0) {
        const auto address = reinterpret_cast<uintptr_t>(parameters);
        if (form() == Form::kShort) {
            NVOS21_PARAMETERS call{client, parent, handle, object_class, address, 0, status};
            pass(NV_ESC_RM_ALLOC, &call, sizeof call, fd, result);
            return;
        }
        NVOS64_PARAMETERS call{client, parent, handle, object_class, address, 0, 0, 0, status};
        if (form() == Form::kOldLong) {
            call.paramsSize = 0;  // there: flags, then status
            call.flags = status;
        }
        pass(NV_ESC_RM_ALLOC, &call, form() == Form::kOldLong ? kOldNVOS64Bytes : sizeof call, fd, result);
    }
    void release(uint32_t client, uint32_t handle, uint32_t status = NV_OK) {
        NVOS00_PARAMETERS call{client, 0, handle, status};
        pass(NV_ESC_RM_FREE, &call, sizeof call);
    }
    void duplicate(uint32_t client, uint32_t device, uint32_t handle, uint32_t status = NV_OK) {
        NVOS55_PARAMETERS call{client, device, handle, kSecondClient, 0x900, 0, status};
        pass(NV_ESC_RM_DUP_OBJECT, &call, sizeof call);
    }
    void group(uint32_t client, uint32_t device, uint32_t handle, uint32_t engine) {
        const NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS parameters{0, 0, 0, engine};
        allocate(client, device, handle, KEPLER_CHANNEL_GROUP_A, &parameters);
    }
    void begin(uint32_t client, int fd = kFd) { allocate(client, 0, client, NV01_ROOT_CLIENT, nullptr, NV_OK, fd); }
    // Makes a device with a subdevice and a context: a group for kernels with two channels, and one for copies with
    // one.
    void context(uint32_t client, uint32_t device, uint32_t first) {
        group(client, device, first, NV2080_ENGINE_TYPE_GR0);
        allocate(client, first, first + 1, kHopper);
        allocate(client, device, first + 2, kVaSpace);
        allocate(client, first, first + 3, kHopper);
        group(client, device, first + 4, kCopyEngine);
        allocate(client, first + 4, first + 5, kHopper);
        allocate(client, device, first + 6, kMemory);
    }
    void device(uint32_t client, uint32_t handle) {
        allocate(client, client, handle, NV01_DEVICE_0);
        allocate(client, handle, handle + 1, NV20_SUBDEVICE_0);
    }
    static std::vector<RecordedSet> recorded() {
        std::vector<RecordedSet> sets;
        for_each_recorded(
            [](const RecordedSet& set, void* data) {
                static_cast<std::vector<RecordedSet>*>(data)->push_back(set);
                return true;
            },
            &sets);
        return sets;
    }
    // The form in which calls are recorded; tests with parameters try both.
    Form form() const { return form_; }
    Form form_ = Form::kLong;
};

class Forms : public ChannelRecord {
protected:
    void SetUp() override {
        ChannelRecord::SetUp();
        form_ = GetParam();
    }
};

TEST_P(Forms, AContextsChannelsForKernelsAreKnown) {
    begin(kFirstClient);
    device(kFirstClient, 0x10);
    context(kFirstClient, 0x10, 0x100);
    const auto sets = recorded();
    ASSERT_EQ(sets.size(), 1u);
    EXPECT_EQ(sets[0].fd, kFd);
    EXPECT_EQ(sets[0].device, 0x10u);
    EXPECT_EQ(sets[0].set.client, kFirstClient);
    EXPECT_EQ(sets[0].set.subdevice, 0x11u);
    ASSERT_EQ(sets[0].set.group_count, 1u);
    EXPECT_EQ(sets[0].set.groups[0], 0x100u);
    ASSERT_EQ(sets[0].set.channel_count, 2u);
    EXPECT_EQ(sets[0].set.channels[0] + sets[0].set.channels[1], 0x101u + 0x103u);
    EXPECT_FALSE(record_incomplete());
}

TEST_P(Forms, WhatTheKernelRefusedIsNotThere) {
    begin(kFirstClient);
    device(kFirstClient, 0x10);
    group(kFirstClient, 0x10, 0x100, NV2080_ENGINE_TYPE_GR0);
    allocate(kFirstClient, 0x100, 0x101, kHopper, nullptr, NV_ERR_INSUFFICIENT_PERMISSIONS);
    allocate(kFirstClient, 0x100, 0x102, kHopper, nullptr, NV_OK, kFd, -1);
    EXPECT_TRUE(recorded().empty());
    allocate(kFirstClient, 0x100, 0x103, kVolta);
    ASSERT_EQ(recorded().size(), 1u);
    release(kFirstClient, 0x100, NV_ERR_INVALID_CLIENT);
    EXPECT_EQ(recorded().size(), 1u) << "not freed";
}

// A client of an MPS server has its channels for kernels in a group that the server has allocated.
TEST_P(Forms, AGroupOfAnotherProcessIsShared) {
    begin(kFirstClient);
    device(kFirstClient, 0x10);
    allocate(kFirstClient, 0x100, 0x101, kHopper);
    allocate(kFirstClient, 0x100, 0x102, kHopper);
    auto sets = recorded();
    ASSERT_EQ(sets.size(), 1u);
    EXPECT_TRUE(sets[0].shared);
    ASSERT_EQ(sets[0].set.group_count, 1u);
    EXPECT_EQ(sets[0].set.groups[0], 0x100u);
    EXPECT_EQ(sets[0].set.channel_count, 2u);
    release(kFirstClient, 0x100);
    EXPECT_TRUE(recorded().empty());
    context(kFirstClient, 0x10, 0x200);
    EXPECT_FALSE(recorded()[0].shared);
    device(kFirstClient, 0x20);
    allocate(kFirstClient, 0x300, 0x301, kHopper);
    EXPECT_EQ(recorded().size(), 1u) << "it is not known which GPU's it is";
}

// With several GPUs the duplicate of the server's group tells the GPU, by the device below which it stands.
TEST_P(Forms, ADuplicatedGroupBelongsToTheDeviceAboveIt) {
    begin(kFirstClient);
    device(kFirstClient, 0x10);
    device(kFirstClient, 0x20);
    duplicate(kFirstClient, 0x10, 0x500);  // memory
    duplicate(kFirstClient, 0x20, 0x300);
    EXPECT_TRUE(recorded().empty()) << "its kind is not known yet";
    NVOS00_PARAMETERS freed{kFirstClient, 0, 0x500, NV_OK};
    EXPECT_FALSE(frees_recorded(request(NV_ESC_RM_FREE, sizeof freed), &freed)) << "no channel is below it";
    allocate(kFirstClient, 0x300, 0x301, kHopper);
    allocate(kFirstClient, 0x300, 0x302, kHopper);
    const auto sets = recorded();
    ASSERT_EQ(sets.size(), 1u);
    EXPECT_EQ(sets[0].device, 0x20u);
    EXPECT_TRUE(sets[0].shared);
    ASSERT_EQ(sets[0].set.group_count, 1u);
    EXPECT_EQ(sets[0].set.groups[0], 0x300u);
    EXPECT_EQ(sets[0].set.channel_count, 2u);
    release(kFirstClient, 0x300);
    EXPECT_TRUE(recorded().empty());
    duplicate(kFirstClient, 0x20, 0x400, NV_ERR_INSUFFICIENT_PERMISSIONS);
    allocate(kFirstClient, 0x400, 0x401, kHopper);
    EXPECT_TRUE(recorded().empty()) << "the kernel refused it";
}

TEST_P(Forms, FreeingTakesWhatIsBelow) {
    begin(kFirstClient);
    device(kFirstClient, 0x10);
    context(kFirstClient, 0x10, 0x100);
    context(kFirstClient, 0x10, 0x200);
    EXPECT_EQ(recorded()[0].set.channel_count, 4u);
    release(kFirstClient, 0x106);  // memory: not recorded
    const uint32_t serial = record_serial();
    release(kFirstClient, 0x100);
    EXPECT_NE(record_serial(), serial);
    EXPECT_EQ(recorded()[0].set.channel_count, 2u);
    EXPECT_EQ(recorded()[0].set.groups[0], 0x200u);
    release(kFirstClient, kFirstClient);
    EXPECT_TRUE(recorded().empty());
}

TEST_P(Forms, ChannelsForCopiesAreTakenOffOnceTheProgramCopies) {
    begin(kFirstClient);
    device(kFirstClient, 0x10);
    context(kFirstClient, 0x10, 0x100);
    const uint32_t serial = record_serial();
    note_copies();
    EXPECT_NE(record_serial(), serial);
    const auto sets = recorded();
    ASSERT_EQ(sets.size(), 1u);
    EXPECT_EQ(sets[0].set.group_count, 1u) << "timeslices are of kernels";
    ASSERT_EQ(sets[0].set.channel_count, 3u);
    EXPECT_EQ(sets[0].set.channels[0] + sets[0].set.channels[1] + sets[0].set.channels[2], 0x101u + 0x103u + 0x105u);
    EXPECT_EQ(sets[0].set.channels[2], 0x105u) << "those of kernels are taken off first";
    note_copies();
    EXPECT_EQ(record_serial(), serial + 1) << "once";
    EXPECT_TRUE(copies_noted());
}

INSTANTIATE_TEST_SUITE_P(OfCalls, Forms, testing::Values(Form::kShort, Form::kLong, Form::kOldLong, Form::kWrapped));

TEST_F(ChannelRecord, AContextThatIsMadeAgainWithTheSameHandles) {
    begin(kFirstClient);
    device(kFirstClient, 0x10);
    for (int round = 0; round < 3; ++round) {
        context(kFirstClient, 0x10, 0x100);
        EXPECT_EQ(recorded()[0].set.channel_count, 2u) << "round " << round;
        if (round != 1) release(kFirstClient, 0x100);  // once it goes unseen
    }
    device(kFirstClient, 0x10);  // the device again: nothing below it is left
    EXPECT_TRUE(recorded().empty());
}

TEST_F(ChannelRecord, SeveralGpusAndClientsAreKeptApart) {
    begin(kFirstClient);
    begin(kSecondClient, kFd + 1);
    device(kFirstClient, 0x10);
    device(kFirstClient, 0x20);
    device(kSecondClient, 0x10);
    context(kFirstClient, 0x10, 0x100);
    context(kFirstClient, 0x20, 0x200);
    context(kSecondClient, 0x10, 0x100);
    EXPECT_EQ(recorded().size(), 3u);
    release(kFirstClient, 0x10);
    const auto left = recorded();
    ASSERT_EQ(left.size(), 2u);
    for (const RecordedSet& it : left) {
        EXPECT_EQ(it.fd, it.set.client == kFirstClient ? kFd : kFd + 1);
        EXPECT_EQ(it.set.groups[0], it.set.client == kFirstClient ? 0x200u : 0x100u);
        EXPECT_EQ(it.set.channel_count, 2u);
    }
}

TEST_F(ChannelRecord, NotesLiveAsLongAsTheirObject) {
    begin(kFirstClient);
    device(kFirstClient, 0x10);
    context(kFirstClient, 0x10, 0x100);
    EXPECT_FALSE(recorded()[0].address_known);
    note_address(kFirstClient, 0x10, 0x4000);
    note_timeslice(kFirstClient, 0x100, 2048);
    EXPECT_TRUE(recorded()[0].address_known);
    EXPECT_EQ(recorded()[0].address, 0x4000u);
    EXPECT_EQ(recorded()[0].set.timeslices_us[0], 2048u);
    release(kFirstClient, 0x100);
    context(kFirstClient, 0x10, 0x100);
    EXPECT_EQ(recorded()[0].set.timeslices_us[0], 0u);
    EXPECT_TRUE(recorded()[0].address_known);
}

TEST_F(ChannelRecord, WhatIsNotOursIsLeftAlone) {
    int value = 0;
    record_call(kFd, _IOR('T', 0x2B, int), &value, 0);
    record_call(kFd, request(NV_ESC_RM_ALLOC, 4), &value, 0);  // no size that we know
    record_call(kFd, request(NV_ESC_RM_ALLOC, sizeof(NVOS64_PARAMETERS)), nullptr, 0);
    record_call(kFd, request(NV_ESC_IOCTL_XFER_CMD, 4), &value, 0);
    EXPECT_TRUE(recorded().empty());
    EXPECT_FALSE(frees_recorded(request(NV_ESC_RM_FREE, 4), &value));
}

TEST_F(ChannelRecord, SaysWhichCallsFreeSomething) {
    begin(kFirstClient);
    device(kFirstClient, 0x10);
    context(kFirstClient, 0x10, 0x100);
    for (const auto& [handle, frees] : std::vector<std::pair<uint32_t, bool>>{
             {0x101, true}, {0x100, true}, {0x10, true}, {kFirstClient, true}, {0x106, false}, {0x999, false}}) {
        NVOS00_PARAMETERS call{kFirstClient, 0, handle, 0};
        EXPECT_EQ(frees_recorded(request(NV_ESC_RM_FREE, sizeof call), &call), frees) << std::hex << handle;
    }
}

TEST_F(ChannelRecord, TooManyForOneSetAreSaidAsLongAsTheyAreThere) {
    begin(kFirstClient);
    device(kFirstClient, 0x10);
    for (uint32_t i = 0; i <= ChannelSet::kMostGroups; ++i) {
        group(kFirstClient, 0x10, 0x1000 + 2 * i, NV2080_ENGINE_TYPE_GR0);
        allocate(kFirstClient, 0x1000 + 2 * i, 0x1001 + 2 * i, kHopper);
    }
    ASSERT_EQ(recorded().size(), 1u);
    EXPECT_TRUE(recorded()[0].incomplete);
    release(kFirstClient, 0x1000);
    ASSERT_EQ(recorded().size(), 1u);
    EXPECT_FALSE(recorded()[0].incomplete);
    EXPECT_EQ(recorded()[0].set.group_count, ChannelSet::kMostGroups);
    EXPECT_FALSE(record_incomplete());
}

TEST_F(ChannelRecord, SetsAreNotUsedWhileTheProcessHasASwapchain) {
    begin(kFirstClient);
    device(kFirstClient, 0x10);
    context(kFirstClient, 0x10, 0x100);
    const uint32_t before = record_serial();
    note_swapchains(1);
    note_swapchains(1);
    note_swapchains(-1);
    EXPECT_NE(record_serial(), before);
    EXPECT_TRUE(has_swapchains());
    ASSERT_EQ(recorded().size(), 1u);
    EXPECT_TRUE(recorded()[0].incomplete);
    note_swapchains(-1);
    EXPECT_FALSE(has_swapchains());
    EXPECT_FALSE(recorded()[0].incomplete);
}

TEST_F(ChannelRecord, APartitionIsNoticed) {
    begin(kFirstClient);
    EXPECT_FALSE(record_has_partition());
    allocate(kFirstClient, 0x11, 0x50, AMPERE_SMC_PARTITION_REF);
    EXPECT_TRUE(record_has_partition());
}

TEST_F(ChannelRecord, ForksChildHasNothing) {
    begin(kFirstClient);
    device(kFirstClient, 0x10);
    context(kFirstClient, 0x10, 0x100);
    EXPECT_EQ(test::in_child([] { return recorded().empty() ? 0 : 1; }), 0);
    EXPECT_EQ(recorded().size(), 1u) << "the parent keeps its own";
}

}  // namespace
}  // namespace xsched::nvidia
