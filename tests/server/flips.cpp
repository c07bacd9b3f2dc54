// Attacks by words alone: clients that write into their memory what no queue ever says, as fast as they can.
#include "server/attack_parts.h"

namespace xsched::test {
namespace {

// Any bytes at all in a used slot of this device.
void scribble(ipc::QueueSlot& slot, uint64_t device, Random& random) {
    auto* const words = reinterpret_cast<std::atomic<uint64_t>*>(&slot);
    for (size_t at = 0; at < sizeof(slot) / sizeof(uint64_t); ++at)
        words[at].store(word(random), std::memory_order_relaxed);
    slot.device.store(device, std::memory_order_relaxed);
    slot.state.store(static_cast<uint32_t>(ipc::SlotState::kUsed), std::memory_order_release);
}

void all_there(ipc::QueueSlot& slot, Random& random) { scribble(slot, word(random), random); }
void all_here(ipc::QueueSlot& slot, Random& random) { scribble(slot, TestClient::kFirstDevice, random); }
void gangs(ipc::QueueSlot& slot, Random& random) { slot.gang.store(static_cast<int64_t>(word(random) >> 2)); }
void devices(ipc::QueueSlot& slot, Random& random) { slot.device.store(word(random)); }
void states(ipc::QueueSlot& slot, Random& random) { slot.state.store(random() % 3); }
void handles(ipc::QueueSlot& slot, Random& random) { slot.handle.store(word(random)); }
void hints(ipc::QueueSlot& slot, Random& random) {
    slot.priority.store(static_cast<int32_t>(random() % 511) - 255);
    slot.deadline_us.store(static_cast<int64_t>(random()));
    slot.expect_ns.store(base::now_ns() + static_cast<int64_t>(random() % 2'000'000));
    slot.period_us.store(random() % 2000);
    slot.share.store(static_cast<int32_t>(random() % 100));
    slot.slo_p99.store(static_cast<int64_t>(random() % 10'000));
}
void work(ipc::QueueSlot& slot, Random& random) {
    const auto now_ns = static_cast<int64_t>(base::now_ns());
    slot.submitted.fetch_add(random() % 2);
    slot.completed.store(slot.submitted.load() - random() % 2);
    slot.ready_since_ns.store(now_ns - static_cast<int64_t>(random() % 1'000'000));
    slot.idle_since_ns.store(now_ns - static_cast<int64_t>(random() % 1'000'000));
}

// As many units as there may be, on the same device, each with work; one after the other becomes idle and ready.
XSCHED_ATTACK(kUnmended, crowd_here, 1,
              "250 clients of 16 priorities each that are ready and idle without rest, on the same device") {
    const auto crowd = busy_crowd_of(path, 250, 16, 0x1000);
    ready();
    never_rest(crowd, 1);
}

// Each of 64 processes claims to wait for each other one, through as many shared events as it may report.
XSCHED_ATTACK(kCrowd, waits, 1, "64 clients of which each waits for each other one through 16 shared events") {
    const auto crowd = crowd_of(path, 64);
    for (const auto& client : crowd)
        for (unsigned at = 0; at < ipc::kMostSharedUses; ++at) {
            client->add_queue(at, static_cast<int32_t>(at), 0x1000 + at, kOtherDevice);
            client->submit(at);
            for (auto* table : {&client->header().shared_events.records, &client->header().shared_events.waits}) {
                (*table)[at].handle = 0x1000 + at;
                (*table)[at].slot = at;
                (*table)[at].until = 1000;
                (*table)[at].event = at + 1;
            }
        }
    ready();
    for (;;)
        for (const auto& client : crowd) {
            client->header().shared_events.changes.fetch_add(1);
            ring_doorbell(client->header());
        }
}

XSCHED_FLIPS(kFlips, flip_there, flip_there<all_there>, "1,024 slots of random words, on any other device")
XSCHED_FLIPS(kFlips, flip_here, flip_here<all_here>, "1,024 slots of random words, on the same device")
XSCHED_FLIPS(kFlips, flip_gangs, flip_everywhere<gangs>, "1,024 queues of one gang after the other, on other devices")
XSCHED_FLIPS(kFlips, flip_gangs_here, flip_here<gangs>, "the same on the same device")
XSCHED_FLIPS(kFlips, flip_devices, flip_there<devices>, "1,024 queues that are on another device each time")
XSCHED_FLIPS(kFlips, flip_handles, flip_there<handles>, "1,024 slots of another queue each time, on another device")
XSCHED_FLIPS(kFlips, flip_states, flip_there<states>, "1,024 slots that are used and free in turns, on another device")
XSCHED_FLIPS(kFlips, flip_states_everywhere, flip_everywhere<states>, "the same on 1,024 devices")
XSCHED_FLIPS(kFlips, flip_hints, flip_there<hints>,
             "1,024 queues of other priorities and hints each time, on another device")
XSCHED_FLIPS(kFlips, flip_hints_here, flip_here<hints>, "the same on the same device")
XSCHED_FLIPS(kFlips, flip_work, flip_everywhere<work>,
             "1,024 queues that are ready and idle without rest, on 1,024 devices")

}  // namespace

}  // namespace xsched::test
