#include "server/interrupts/interrupts.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "host/rm_control.h"
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
    return base::counted(set.channel_count, "channel") + " in " + base::counted(set.group_count, "group");
}

InterruptOutcome stop(int fd, const Handed& handed) { return told(rm::disable(call, fd, channels_in(handed))); }
InterruptOutcome start(int fd, const Handed& handed) { return told(rm::enable(call, fd, channels_in(handed))); }

// Proves a set by the PCI address that the driver reports, which must be the lower half of the XDevice
// (platform/stream/hal/identity.h). If the driver reports no address, only the ownership is proved.
InterruptOutcome prove(int fd, const Handed& handed, uint64_t device) {
    const rm::ChannelSet set = channels_in(handed);
    uint32_t address = 0;
    const rm::Outcome owned = rm::prove(call, fd, set);
    if (!owned.good() || !rm::read_pci_address(call, fd, set.client, set.subdevice, &address).good())
        return told(owned);
    if (address == static_cast<uint32_t>(device)) return told(owned);
    return {false, "they are on another device than the program says", 0, 0};
}

std::vector<rm::Owned> owned_in(const std::vector<Part>& parts) {
    std::vector<rm::Owned> owned;
    owned.reserve(parts.size());
    for (const Part& part : parts) owned.push_back({part.fd, channels_in(*part.handed)});
    return owned;
}
InterruptOutcome stop_all(const std::vector<Part>& parts) { return told(rm::disable_all(call, owned_in(parts))); }
InterruptOutcome start_all(const std::vector<Part>& parts) { return told(rm::enable_all(call, owned_in(parts))); }

// Sets timeslices. The driver refuses groups that are not the descriptor's own; the client's word for its former
// timeslices is bounded by `most_us`.
void set_timeslices(int fd, const Handed& handed, uint32_t us, uint32_t most_us) {
    rm::ChannelSet set = channels_in(handed);
    for (uint32_t i = 0; i < set.group_count; ++i) set.timeslices_us[i] = std::min(set.timeslices_us[i], most_us);
    rm::set_timeslices(call, fd, set, std::min(us, most_us));
}

constexpr Interrupts kInterrupts[] = {
    {kPlatformCUDA, "NVIDIA's control device", rm::is_control_device, is_sound, prove, describe, stop, start, stop_all,
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
