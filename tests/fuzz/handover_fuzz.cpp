// A client's handover for the server to act in its place: the driver gets calls within its bounds, for the channels
// that were named, and no more of them than those are worth.
#include <cerrno>
#include <cstring>
#include <vector>

#include "fuzz/bytes.h"
#include "fuzz/target.h"
#include "host/rm_api.h"
#include "host/rm_control.h"
#include "server/interrupts/interrupts.h"

namespace xsched::fuzz::handover_target {
namespace {

using namespace cuda::rm;

// The driver, which answers as the input says.
struct FakeDriver {
    Bytes answers{""};
    int calls = 0;
};
FakeDriver g_driver;

int answer(int, unsigned long request, void* argument) {
    ++g_driver.calls;
    demand(request == kControlRequest, "controls alone are called");
    auto* call = static_cast<NVOS54_PARAMETERS*>(argument);
    std::vector<unsigned char> parameters(call->paramsSize);
    memcpy(parameters.data(), reinterpret_cast<const void*>(static_cast<uintptr_t>(call->params)), parameters.size());
    if (call->cmd == NV2080_CTRL_CMD_FIFO_DISABLE_CHANNELS) {
        NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS channels{};
        demand(parameters.size() == sizeof(channels), "a list is whole");
        memcpy(&channels, parameters.data(), sizeof(channels));
        demand(channels.numChannels <= NV2080_CTRL_FIFO_DISABLE_CHANNELS_MAX_ENTRIES, "a list is no longer than it is");
    }
    constexpr uint32_t kAnswers[] = {NV_OK, NV_OK, NV_ERR_INVALID_CHANNEL, NV_ERR_INVALID_CLIENT, NV_ERR_INVALID_STATE};
    constexpr int kErrors[] = {EINTR, EPERM, EBADF, ENOTTY};
    const uint32_t chosen = g_driver.answers.below(16);
    call->status = kAnswers[chosen % std::size(kAnswers)];
    if (chosen < 12) return 0;
    errno = kErrors[chosen - 12];
    return -1;
}

void act(const ChannelSet& set) {
    for (const bool lets_run : {false, true})
        demand(*sentence(disable(answer, 3, set, lets_run)) != '\0', "it is told");
    enable(answer, 3, set);
    set_timeslices(answer, 3, set, 200);
    set_timeslices(answer, 3, set, 0);
    const Owned parts[] = {{3, set}, {4, set}};
    disable_all(answer, parts);
    enable_all(answer, parts);
}

}  // namespace

XSCHED_FUZZ(handover) {
    Bytes bytes(input);
    const uint32_t platform = bytes.number<uint8_t>();
    const size_t answers = bytes.number<uint8_t>();
    g_driver = {Bytes(bytes.take(answers))};
    // Most short inputs are filled up to the size of a whole set of channels, which few inputs have by themselves.
    const bool whole = bytes.below(4) != 0;
    const std::string_view given = bytes.rest();
    server::Handed handed(given.begin(), given.end());
    if (whole) handed.resize(sizeof(ChannelSet));
    const server::Interrupts* row = server::interrupts_of(platform);
    if (row == nullptr || !row->is_sound(handed)) return;
    demand(!row->describe(handed).empty(), "it can be told");
    ChannelSet set;
    memcpy(&set, handed.data(), sizeof(set));
    act(set);
    // Bound of the driver's calls: a few calls name each channel of the set, and each of these is tried a few times.
    constexpr int kTries = 16;
    const int64_t most = int64_t{kTries} * (24 + 8 * int64_t{set.channel_count} + 2 * int64_t{set.group_count});
    demand(g_driver.calls <= most, "a set costs a bounded number of calls");
}

}  // namespace xsched::fuzz::handover_target
