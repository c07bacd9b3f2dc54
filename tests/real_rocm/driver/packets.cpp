#include "packets.h"

#include <sys/prctl.h>

#include "events.h"
#include "kernels.h"
#include "memory.h"
#include "queues.h"

namespace kfd {
namespace {

// HSA's packet types, in a header's lowest byte.
enum Type : uint8_t { kVendor = 0, kInvalid = 1, kDispatch = 2, kBarrierAnd = 3, kBarrierOr = 5 };
constexpr uint8_t kBarrierValue = 2;  // a vendor packet's format: AMD's; others are PM4 commands

struct BarrierPacket {
    uint16_t header, reserved;
    uint32_t reserved2;
    uint64_t signals[5];
    uint64_t reserved3;
    uint64_t completion;
};
struct BarrierValuePacket {
    uint16_t header;
    uint8_t format, reserved;
    uint32_t reserved2;
    uint64_t signal;  // 0: there is nothing to wait for
    int64_t value, mask;
    uint32_t condition;
    uint32_t reserved3;
    uint64_t reserved4[2];
    uint64_t completion;
};
static_assert(sizeof(BarrierPacket) == 64 && sizeof(BarrierValuePacket) == 64 && sizeof(DispatchPacket) == 64);

constexpr int64_t kLookNs = 5'000;  // how often a packet that waits looks
// How often the thread of an idle queue looks for new packets: more often while the queue has just had work.
constexpr int64_t kSoonNs = 20'000, kLaterNs = 200'000;
constexpr int kSoonLooks = 100;

bool holds(const BarrierPacket& packet) {
    bool all = true, any = false, none = true;
    for (const uint64_t signal : packet.signals) {
        if (signal == 0) continue;
        none = false;
        const bool met = value_of(signal) == 0;  // once: it may change meanwhile
        any = any || met;
        all = all && met;
    }
    return none || ((packet.header & 0xff) == kBarrierAnd ? all : any);
}

bool holds(const BarrierValuePacket& packet) {
    if (packet.signal == 0) return true;
    const int64_t value = value_of(packet.signal) & packet.mask;
    switch (packet.condition) {
        case 0: return value == packet.value;
        case 1: return value != packet.value;
        case 2: return value < packet.value;
        default: return value >= packet.value;
    }
}

// Stands still before some packets, as a queue on a GPU that others use.
void stand_still(uint64_t index) {
    constexpr uint64_t kMixed = 0x9e3779b97f4a7c15U, kOneOf = 16;
    static const int64_t most_ns = int64_t{pause_us()} * 1000;
    const uint64_t drawn = index * kMixed >> 32;
    if (most_ns > 0 && drawn % kOneOf == 0) wait_ns(static_cast<int64_t>(drawn / kOneOf) % most_ns);
}

template <typename Packet>
void wait_for(const Queue& queue, const Packet& packet) {
    while (!queue.ends && !holds(packet)) wait_ns(kLookNs);
}

void take(Queue& queue, const uint8_t* packet, uint8_t type) {
    switch (type) {
        case kDispatch: return run_kernel(queue, *reinterpret_cast<const DispatchPacket*>(packet));
        case kBarrierAnd:
        case kBarrierOr: return wait_for(queue, *reinterpret_cast<const BarrierPacket*>(packet));
        case kVendor:
            if (packet[2] == kBarrierValue) wait_for(queue, *reinterpret_cast<const BarrierValuePacket*>(packet));
            return;
        default: give_up("queue %u: a packet of type %u", queue.id, type);
    }
}

}  // namespace

void* take_packets(void* argument) {
    auto& queue = *static_cast<Queue*>(argument);
    prctl(PR_SET_TIMERSLACK, 1);
    const uint64_t slots = queue.made.ring_size / 64;
    auto* ring = at<uint8_t>(queue.made.ring_base_address);
    auto* read_index = at<uint64_t>(queue.made.read_pointer_address);
    for (int looks = 0; !queue.ends;) {
        const uint64_t index = __atomic_load_n(read_index, __ATOMIC_RELAXED);
        uint8_t* packet = ring + index % slots * 64;
        auto* header = reinterpret_cast<uint16_t*>(packet);
        const auto type = static_cast<uint8_t>(__atomic_load_n(header, __ATOMIC_ACQUIRE) & 0xff);
        if (type == kInvalid || queue.is_off()) {
            wait_ns(++looks < kSoonLooks ? kSoonNs : kLaterNs);
            continue;
        }
        looks = 0;
        const int64_t began = now_ns();
        say(3, "queue %u: packet %llu of type %u", queue.id, static_cast<unsigned long long>(index), type);
        stand_still(index);
        take(queue, packet, type);
        if (queue.ends) break;
        const uint64_t completion = reinterpret_cast<BarrierPacket*>(packet)->completion;
        __atomic_store_n(header, uint16_t{kInvalid}, __ATOMIC_RELEASE);
        __atomic_store_n(read_index, index + 1, __ATOMIC_RELEASE);
        complete(completion, began, now_ns());
    }
    return nullptr;
}

}  // namespace kfd
