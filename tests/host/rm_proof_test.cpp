// Calls that name the channels of several clients: whose they are is proved before, and again behind a call.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "host/rm_api.h"
#include "host/rm_control.h"

namespace xsched::cuda::rm {
namespace {

constexpr int kTheirs = 7, kMine = 8, kElsewhere = 9;  // descriptors
constexpr uint32_t kTheirClient = 100, kMyClient = 200;

// A fake kernel driver that checks only whose client makes a call, and not whose clients its list of channels names.
struct ProvingKernel {
    std::map<uint32_t, int> owners{{kTheirClient, kTheirs}, {kMyClient, kMine}};  // of clients
    std::map<uint32_t, int> disabled;  // of clients: how often
    std::map<int, uint32_t> gpus;      // of descriptors
    int switches = 0;
    bool has_gpu_id = true;
    std::function<void()> before_switch, before_proof;

    uint32_t answer(int fd, const NVOS54_PARAMETERS& request) {
        if (request.cmd == NV2080_CTRL_CMD_GPU_GET_ID && before_proof) before_proof();
        if (owners[request.hClient] != fd) return NV_ERR_INVALID_CLIENT;
        void* parameters = reinterpret_cast<void*>(request.params);
        if (request.cmd == NVA06C_CTRL_CMD_GET_TIMESLICE) return NV_OK;
        if (request.cmd == NV2080_CTRL_CMD_GPU_GET_ID && !has_gpu_id) return NV_ERR_NOT_SUPPORTED;
        if (request.cmd == NV2080_CTRL_CMD_GPU_GET_ID) {
            static_cast<NV2080_CTRL_GPU_GET_ID_PARAMS*>(parameters)->gpuId = gpus[fd];
            return NV_OK;
        }
        if (before_switch) std::exchange(before_switch, nullptr)();
        ++switches;
        const auto& list = *static_cast<NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS*>(parameters);
        for (uint32_t i = 0; i < list.numChannels; ++i) {
            int& times = disabled[list.hClientList[i]];
            times = list.bDisable != 0 ? times + 1 : std::max(times - 1, 0);
        }
        return NV_OK;
    }
};
ProvingKernel* g_proving = nullptr;

int proving_call(int fd, unsigned long, void* argument) {
    auto& request = *static_cast<NVOS54_PARAMETERS*>(argument);
    request.status = g_proving->answer(fd, request);
    return 0;
}

class RmProof : public testing::Test {
protected:
    void SetUp() override { g_proving = &kernel; }
    static Owned part(int fd, uint32_t client) {
        Owned owned{fd, {}};
        owned.set.client = client;
        owned.set.subdevice = 2;
        owned.set.group_count = owned.set.channel_count = 1;
        owned.set.channels[0] = 1000;
        return owned;
    }
    // Repeats a call that failed with ETIMEDOUT: on a busy machine the thread may lose its processor between the
    // proofs of ownership and the call, which is then too late.
    Outcome in_time(Outcome (*call)(Ioctl, std::span<const Owned>)) {
        Outcome outcome;
        for (int i = 0; i < 100; ++i)
            if (outcome = call(proving_call, both); outcome.error != ETIMEDOUT) break;
        return outcome;
    }
    ProvingKernel kernel;
    std::vector<Owned> both{part(kTheirs, kTheirClient), part(kMine, kMyClient)};
};

TEST_F(RmProof, ClientsAreNamedBesideTheirOwnDescriptors) {
    EXPECT_TRUE(in_time(disable_all).good());
    EXPECT_EQ(kernel.switches, 1);
    EXPECT_EQ(kernel.disabled[kTheirClient], 1);
    EXPECT_EQ(kernel.disabled[kMyClient], 1);
    EXPECT_TRUE(in_time(enable_all).good());
    EXPECT_EQ(kernel.disabled[kTheirClient] + kernel.disabled[kMyClient], 0);
}

TEST_F(RmProof, AForeignClientIsNeverNamed) {
    both.push_back(part(kElsewhere, kMyClient));  // mine, beside a descriptor that does not own it
    EXPECT_EQ(in_time(disable_all).status, NV_ERR_INVALID_CLIENT);
    EXPECT_EQ(in_time(enable_all).status, NV_ERR_INVALID_CLIENT);
    EXPECT_EQ(kernel.switches, 0);
}

// A call that names one set of channels only needs no proof that the descriptor's owner has them: the driver checks
// that itself.
TEST_F(RmProof, OneAloneIsNotProved) {
    kernel.before_proof = [] { ADD_FAILURE() << "a proof"; };
    EXPECT_TRUE(disable_all(proving_call, std::span(both).first(1)).good());
    EXPECT_TRUE(enable_all(proving_call, std::span(both).first(1)).good());
    EXPECT_EQ(kernel.switches, 2);
}

TEST_F(RmProof, WhatHitANumberThatHasAnotherOwnerByThenIsUndone) {
    kernel.before_switch = [this] { kernel.owners[kMyClient] = kElsewhere; };
    EXPECT_EQ(in_time(disable_all).status, NV_ERR_INVALID_CLIENT);
    EXPECT_EQ(kernel.disabled[kMyClient], 0) << "the new owner runs";
    EXPECT_EQ(kernel.disabled[kTheirClient], 0) << "each is to be stopped by itself";
}

TEST_F(RmProof, ProofsThatTakeTooLongAreWorthNothing) {
    kernel.before_proof = [] { usleep(6'000); };
    EXPECT_EQ(disable_all(proving_call, both).error, ETIMEDOUT);
    EXPECT_EQ(enable_all(proving_call, both).error, ETIMEDOUT);
    EXPECT_EQ(kernel.switches, 0);
}

TEST_F(RmProof, ADriverThatDoesNotTellTheGpuTellsTimeslices) {
    kernel.has_gpu_id = false;
    EXPECT_TRUE(in_time(disable_all).good());
    EXPECT_EQ(kernel.switches, 1);
    kernel.owners[kMyClient] = kElsewhere;
    EXPECT_EQ(in_time(enable_all).status, NV_ERR_INVALID_CLIENT);
}

TEST_F(RmProof, ClientsOfTwoGpusAreNotNamedTogether) {
    kernel.gpus = {{kTheirs, 1}, {kMine, 2}};
    EXPECT_FALSE(in_time(disable_all).good());
    EXPECT_EQ(kernel.switches, 0);
}

}  // namespace
}  // namespace xsched::cuda::rm
