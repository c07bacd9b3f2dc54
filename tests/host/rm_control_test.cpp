// Calls to NVIDIA's kernel driver about channels: what is sent, and what is made of the answers.
#include "host/rm_control.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <vector>

#include "host/rm_api.h"

namespace xsched::cuda::rm {
namespace {

constexpr int kFd = 9;

// A fake kernel driver that records the calls and gives the answers that a test has set.
struct Kernel {
    struct Switch {
        bool disable;
        std::vector<uint32_t> channels;
    };
    std::vector<Switch> switches;
    std::vector<std::pair<uint32_t, uint64_t>> timeslices;  // group, us
    std::set<uint32_t> disabled;
    std::set<uint32_t> gone;
    uint32_t refuse_after = UINT32_MAX;  // so many disabling calls go well
    int interruptions = 0;               // EINTR comes back so often
    uint32_t status = NV_OK;             // of every call

    uint32_t switch_channels(const NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS& list) {
        Switch one{list.bDisable != 0, {list.hChannelList, list.hChannelList + list.numChannels}};
        const auto disabling = static_cast<uint32_t>(
            std::count_if(switches.begin(), switches.end(), [](const Switch& it) { return it.disable; }));
        switches.push_back(one);
        for (uint32_t channel : one.channels)
            if (gone.count(channel) != 0) return NV_ERR_OBJECT_NOT_FOUND;
        if (one.disable && disabling >= refuse_after) return NV_ERR_NOT_SUPPORTED;
        for (uint32_t channel : one.channels) {
            if (one.disable)
                disabled.insert(channel);
            else
                disabled.erase(channel);
        }
        return NV_OK;
    }
};
Kernel* g_kernel = nullptr;

int kernel_call(int fd, unsigned long request, void* argument) {
    EXPECT_EQ(fd, kFd);
    EXPECT_EQ(request, kControlRequest);
    if (g_kernel->interruptions-- > 0) {
        errno = EINTR;
        return -1;
    }
    auto& call = *static_cast<NVOS54_PARAMETERS*>(argument);
    EXPECT_EQ(call.hClient, 1u);
    void* parameters = reinterpret_cast<void*>(call.params);
    call.status = g_kernel->status;
    if (call.status != NV_OK) return 0;
    switch (call.cmd) {
        case NV2080_CTRL_CMD_FIFO_DISABLE_CHANNELS:
            EXPECT_EQ(call.paramsSize, 536u);
            EXPECT_EQ(call.hObject, 2u);
            call.status =
                g_kernel->switch_channels(*static_cast<NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS*>(parameters));
            break;
        case NVA06C_CTRL_CMD_SET_TIMESLICE:
            g_kernel->timeslices.emplace_back(call.hObject,
                                              static_cast<NVA06C_CTRL_TIMESLICE_PARAMS*>(parameters)->timesliceUs);
            break;
        case NV2080_CTRL_CMD_GPU_GET_ID: static_cast<NV2080_CTRL_GPU_GET_ID_PARAMS*>(parameters)->gpuId = 77; break;
        case NV0000_CTRL_CMD_GPU_GET_PCI_INFO:
            EXPECT_EQ(static_cast<NV0000_CTRL_GPU_GET_PCI_INFO_PARAMS*>(parameters)->gpuId, 77u);
            *static_cast<NV0000_CTRL_GPU_GET_PCI_INFO_PARAMS*>(parameters) = {77, 1, 0xc4, 2};
            break;
        default: ADD_FAILURE() << "control " << std::hex << call.cmd;
    }
    return 0;
}

class RmControl : public testing::Test {
protected:
    void SetUp() override { g_kernel = &kernel; }
    static std::unique_ptr<ChannelSet> set_of(uint32_t channels) {
        auto set = std::make_unique<ChannelSet>();
        set->client = 1;
        set->subdevice = 2;
        set->channel_count = channels;
        for (uint32_t i = 0; i < channels; ++i) set->channels[i] = 1000 + i;
        return set;
    }
    Kernel kernel;
};

TEST_F(RmControl, DisablesAndEnablesAllInPortions) {
    const auto set = set_of(150);
    EXPECT_TRUE(disable(kernel_call, kFd, *set).good());
    EXPECT_EQ(kernel.disabled.size(), 150u);
    ASSERT_EQ(kernel.switches.size(), 3u);
    EXPECT_EQ(kernel.switches[0].channels.size(), 64u);
    EXPECT_EQ(kernel.switches[2].channels.size(), 22u);
    EXPECT_TRUE(enable(kernel_call, kFd, *set).good());
    EXPECT_TRUE(kernel.disabled.empty());
}

TEST_F(RmControl, ADisableThatFailsMidwayIsUndone) {
    kernel.refuse_after = 1;
    const Outcome outcome = disable(kernel_call, kFd, *set_of(100));
    EXPECT_EQ(outcome.status, NV_ERR_NOT_SUPPORTED);
    EXPECT_TRUE(kernel.disabled.empty());
}

TEST_F(RmControl, EnablingSkipsWhatIsGone) {
    const auto set = set_of(5);
    ASSERT_TRUE(disable(kernel_call, kFd, *set).good());
    kernel.gone = {1001, 1003};
    kernel.disabled.erase(1001);
    kernel.disabled.erase(1003);
    EXPECT_TRUE(enable(kernel_call, kFd, *set).good());
    EXPECT_TRUE(kernel.disabled.empty());
}

TEST_F(RmControl, InterruptedCallsAreMadeAgain) {
    kernel.interruptions = 3;
    EXPECT_TRUE(disable(kernel_call, kFd, *set_of(1)).good());
    kernel.interruptions = 1000;
    EXPECT_EQ(disable(kernel_call, kFd, *set_of(1)).error, EINTR);
}

TEST_F(RmControl, TimeslicesAreSetAndPutBackEachToItsOwn) {
    const auto set = set_of(1);
    set->group_count = 3;
    for (uint32_t i = 0; i < 3; ++i) set->groups[i] = 50 + i;
    set->timeslices_us[0] = 2048;
    set->timeslices_us[2] = 500;  // the second one's is not known
    EXPECT_TRUE(set_timeslices(kernel_call, kFd, *set, 1).good());
    EXPECT_EQ(kernel.timeslices, (std::vector<std::pair<uint32_t, uint64_t>>{{50, 1}, {51, 1}, {52, 1}}));
    kernel.timeslices.clear();
    EXPECT_TRUE(set_timeslices(kernel_call, kFd, *set, 0).good());
    EXPECT_EQ(kernel.timeslices, (std::vector<std::pair<uint32_t, uint64_t>>{{50, 2048}, {52, 500}}));
}

TEST_F(RmControl, TheAddressIsWrittenAsIdentitiesAre) {
    uint32_t address = 0;
    EXPECT_TRUE(read_pci_address(kernel_call, kFd, 1, 2, &address).good());
    EXPECT_EQ(address, 1u << 16 | 0xc4u << 8 | 2u << 3);
}

TEST_F(RmControl, EveryAnswerHasASentence) {
    std::set<std::string> sentences;
    for (const uint32_t status :
         std::initializer_list<uint32_t>{NV_ERR_INSUFFICIENT_PERMISSIONS, NV_ERR_INVALID_CLIENT, NV_ERR_NOT_SUPPORTED,
                                         NV_ERR_INVALID_STATE, NV_ERR_OBJECT_NOT_FOUND, 0xffff}) {
        kernel.status = status;
        const Outcome outcome = disable(kernel_call, kFd, *set_of(1));
        EXPECT_EQ(outcome.status, status);
        sentences.insert(sentence(outcome));
    }
    for (const int error : {EPERM, EBADF, ENOTTY, ENOMEM}) sentences.insert(sentence({error, 0}));
    EXPECT_EQ(sentences.size(), 10u);
}

TEST_F(RmControl, OtherDescriptorsAreNotTheControlDevice) {
    EXPECT_FALSE(is_control_device(-1));
    EXPECT_FALSE(is_control_device(STDERR_FILENO));
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    EXPECT_FALSE(is_control_device(null));
    close(null);
}

TEST_F(RmControl, ASetWithCountsOutOfRangeIsNotSound) {
    const auto set = set_of(ChannelSet::kMostChannels);
    EXPECT_TRUE(is_sound(*set));
    set->channel_count = ChannelSet::kMostChannels + 1;
    EXPECT_FALSE(is_sound(*set));
    set->channel_count = 0;
    set->group_count = UINT32_MAX;
    EXPECT_FALSE(is_sound(*set));
}

}  // namespace
}  // namespace xsched::cuda::rm
