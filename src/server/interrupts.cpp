#include "server/interrupts.h"

#include <sys/ioctl.h>

#include <cstring>

#include "platform/cuda/hal/rm_control.h"
#include "xsched/types.h"

namespace xsched::server {
namespace {

namespace rm = cuda::rm;

int call(int fd, unsigned long request, void* argument) { return ioctl(fd, request, argument); }

InterruptOutcome told(const rm::Outcome& outcome) {
    return {outcome.good(), rm::sentence(outcome), outcome.error, outcome.status};
}

rm::ChannelSet channels_in(const Handed& handed) {
    rm::ChannelSet set;
    memcpy(&set, handed.data(), sizeof set);
    return set;
}

bool is_sound(const Handed& handed) {
    return handed.size() == sizeof(rm::ChannelSet) && rm::is_sound(channels_in(handed));
}

std::string describe(const Handed& handed) {
    const rm::ChannelSet set = channels_in(handed);
    return std::to_string(set.channel_count) + " channels in " + std::to_string(set.group_count) + " groups";
}

InterruptOutcome stop(int fd, const Handed& handed) { return told(rm::disable(call, fd, channels_in(handed))); }
InterruptOutcome start(int fd, const Handed& handed) { return told(rm::enable(call, fd, channels_in(handed))); }
std::vector<rm::ChannelSet> sets_in(const std::vector<Handed>& handed) {
    std::vector<rm::ChannelSet> sets;
    sets.reserve(handed.size());
    for (const Handed& one : handed) sets.push_back(channels_in(one));
    return sets;
}
InterruptOutcome stop_all(int fd, const std::vector<Handed>& handed) {
    return told(rm::disable_all(call, fd, sets_in(handed)));
}
InterruptOutcome start_all(int fd, const std::vector<Handed>& handed) {
    return told(rm::enable_all(call, fd, sets_in(handed)));
}
void set_timeslices(int fd, const Handed& handed, uint32_t us) {
    rm::set_timeslices(call, fd, channels_in(handed), us);
}

constexpr Interrupts kInterrupts[] = {
    {kPlatformCUDA, "NVIDIA's control device", rm::is_control_device, is_sound, describe, stop, start, stop_all,
     start_all, set_timeslices},
};

}  // namespace

const Interrupts* interrupts_of(uint32_t platform) {
    for (const Interrupts& row : kInterrupts)
        if (row.platform == platform) return &row;
    return nullptr;
}

bool is_interrupt_descriptor(int fd) {
    for (const Interrupts& row : kInterrupts)
        if (row.is_descriptor(fd)) return true;
    return false;
}

}  // namespace xsched::server
