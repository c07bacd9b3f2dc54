// Attacks by words in a client's memory that contradict each other, or that are not the client's to write.
#include "server/attack_parts.h"

namespace xsched::test {
namespace {

// Numbers at which arithmetic goes wrong.
uint64_t extreme(Random& random) {
    constexpr uint64_t kNumbers[] = {
        0, 1, UINT32_MAX, uint64_t{UINT32_MAX} + 1, INT64_MAX, uint64_t{INT64_MAX} + 1, UINT64_MAX, UINT64_MAX - 1};
    return kNumbers[random() % 8] + (random() % 4 == 0 ? random() : 0);
}

int64_t extreme_time(Random& random) {
    constexpr int64_t kAwayNs[] = {0, base::kSecond, -base::kSecond, INT64_MAX / 2, INT64_MIN / 2};
    return random() % 3 == 0 ? static_cast<int64_t>(extreme(random)) : base::now_ns() + kAwayNs[random() % 5];
}

// Counters that go back, wrap, and overtake each other.
void counters(ipc::QueueSlot& slot, Random& random) {
    std::atomic<uint64_t>* const all[] = {&slot.submitted,  &slot.launched, &slot.completed,
                                          &slot.unreported, &slot.copies,   &slot.copied_bytes};
    all[random() % 6]->store(extreme(random));
    if (random() % 2 == 0) slot.submitted.fetch_sub(random() % 3);
    slot.device_progress = random() % 2;
    slot.progress = static_cast<uint32_t>(extreme(random));
}

void times(ipc::QueueSlot& slot, Random& random) {
    std::atomic<int64_t>* const all[] = {&slot.ready_since_ns, &slot.idle_since_ns,  &slot.command_ns,  &slot.busy_ns,
                                         &slot.expect_ns,      &slot.holds_until_ns, &slot.directed_ns, &slot.window_ns,
                                         &slot.deadline_us,    &slot.laxity_us,      &slot.period_us,   &slot.slo_p99};
    for (auto* one : all) one->store(extreme_time(random));
    slot.submitted.fetch_add(1);
    slot.completed.store(slot.submitted.load() - random() % 2);
}

// Claims that urgent queues wait for this one, so that it inherits their priorities until a command that never comes.
void inherits(ipc::QueueSlot& slot, Random& random) {
    const unsigned at = random() % ipc::kMostInherited;
    slot.inherited_until[at].store(extreme(random));
    slot.inherited_priority[at].store(static_cast<int16_t>(random() % 600 - 300));
    slot.waiting = static_cast<uint32_t>(random() % 2);
    slot.inside = static_cast<uint32_t>(extreme(random));
}

// All levels, costs and states that the hardware may have, in turns.
void mechanisms(ipc::QueueSlot& slot, Random& random) {
    slot.levels = static_cast<uint32_t>(random() % 16);
    slot.level = static_cast<uint32_t>(random() % 5);
    slot.taken = static_cast<uint32_t>(random() % 5);
    slot.apart = static_cast<uint32_t>(random() % 2);
    slot.platform = static_cast<uint32_t>(random() % 5);
    slot.api_suspended = static_cast<uint32_t>(random() % 2);
    std::atomic<uint32_t>* const costs[] = {&slot.switch_us, &slot.off_us, &slot.most_off_us, &slot.effect_us,
                                            &slot.interrupt_us};
    for (auto* cost : costs) cost->store(static_cast<uint32_t>(extreme(random)));
    slot.submitted.fetch_add(1);
    slot.completed.store(slot.submitted.load() - random() % 2);
}

// Overwrites in the slot the words that only the server writes (the directives), so that the queue seems to run, to
// be never suspended, or to be asked for nothing.
void directives(ipc::QueueSlot& slot, Random& random) {
    slot.suspended = static_cast<uint32_t>(random() % 2);
    slot.reason = static_cast<uint32_t>(random());
    slot.by_pid = static_cast<int32_t>(random());
    slot.presumed = static_cast<uint32_t>(random());
    slot.want_serial = static_cast<uint32_t>(random());
    slot.ask = slot.warm = slot.interrupt = static_cast<uint32_t>(random());
    slot.gate = static_cast<uint32_t>(random());
    slot.device_timeslice_us = static_cast<uint32_t>(random());
}

// Overwrites all words of the client's header, also those that only the server writes, and rings the doorbell.
XSCHED_ATTACK(kWriting, header_words, 1, "all words of the header, also the server's") {
    const auto client = crowd_of(path, 1);
    for (unsigned at = 0; at < 64; ++at) {
        client[0]->add_queue(at, static_cast<int32_t>(at), 0x5000 + at);
        client[0]->submit(at);
    }
    ready();
    auto* const words = reinterpret_cast<std::atomic<uint32_t>*>(&client[0]->header());
    Random random(1);
    for (size_t at = 0;; at = (at + 1) % (sizeof(ipc::Header) / sizeof(uint32_t))) {
        words[at].store(static_cast<uint32_t>(random() % 3 == 0 ? random() : extreme(random)));
        if (at % 16 == 0) ring_doorbell(client[0]->header());
    }
}

// As many clients as may be with the very queues that the victims have.
XSCHED_ATTACK(kWriting, same_handles, 1, "120 clients with the very queues of others") {
    const auto crowd = crowd_of(path, 120);
    for (const auto& client : crowd)
        for (unsigned at = 0; at < 2; ++at) {
            client->add_queue(at, 127, at + 1);
            client->submit(at);
        }
    ready();
    never_rest(crowd, 2);
}

XSCHED_ATTACK(kWriting, moving_events, 1, "tables of shared events that change while they are read") {
    const auto crowd = busy_crowd_of(path, 4, ipc::kMostSharedUses, 0x6000);
    ready();
    Random random(1);
    for (;;)
        for (const auto& client : crowd) {
            ipc::SharedEvents& events = client->header().shared_events;
            for (auto* table : {&events.records, &events.waits}) {
                ipc::SharedUse& use = (*table)[random() % ipc::kMostSharedUses];
                events.changes.fetch_add(1);
                use.event = random() % 8;
                use.handle = 0x6000 + random() % ipc::kMostSharedUses;
                use.until = extreme(random);
                use.slot = static_cast<uint32_t>(random() % 3 == 0 ? random() : random() % 16);
                events.changes.fetch_add(1);
            }
            client->complete(0);
            client->submit(0);
        }
}

// 1,024 queues of which the client says each time that there are others, or none.
XSCHED_ATTACK(kWriting, slot_ends, 1, "1,024 queues of which the client counts others each time") {
    const auto client = crowd_of(path, 1);
    for (unsigned at = 0; at < ipc::kMostQueues; ++at) {
        client[0]->add_queue(at, static_cast<int32_t>(at % 16), 0x7000 + at);
        client[0]->submit(at);
    }
    ready();
    constexpr uint32_t kEnds[] = {0, ipc::kMostQueues, 1, UINT32_MAX, ipc::kMostQueues + 1, 500};
    for (unsigned i = 0;; ++i) {
        client[0]->header().slot_end = kEnds[i % 6];
        ring_doorbell(client[0]->header());
        if (i % 8 == 0) usleep(50);
    }
}

// Sixteen programs with urgent work that are stopped and go on, all of them again and again.
XSCHED_ATTACK(kWriting, stopped_programs, 1, "sixteen urgent programs that are stopped and go on") {
    std::vector<pid_t> children;
    for (unsigned i = 0; i < 16; ++i)
        children.push_back(beside([&] {
            TestClient client(path, "stopped");
            if (!client.connected()) return;
            client.add_queue(0, 127, 0x8000 + i);
            for (;; usleep(500)) {
                client.submit(0);
                client.complete(0);
                client.submit(0);
            }
        }));
    without_end(ready, [&](unsigned i) {
        kill(children[i % 16], i / 16 % 2 == 0 ? SIGSTOP : SIGCONT);
        usleep(200);
    });
}

// Programs that come and go, of another name each time, on devices of other names.
XSCHED_ATTACK(kWriting, new_names, 1, "programs that come and go, with new names of theirs and of devices") {
    Random random(1);
    const auto letters = [&random] {
        std::string text;
        for (int i = 0; i < 60; ++i) text += static_cast<char>(1 + random() % 255);
        return text;
    };
    without_end(ready, [&](unsigned i) {
        TestClient client;
        if (!client.connect(path, letters().c_str())) return void(usleep(1000));
        for (unsigned at = 0; at < ipc::kMostDeviceNames; ++at) {
            const uint64_t device = word(random);
            client.header().devices[at].write(device, letters().c_str());
            client.add_queue(at, 100, word(random), device);
            client.submit(at);
            client.complete(at);
        }
        if (i % 4 == 0) usleep(1000);
    });
}

XSCHED_FLIPS(kWriting, counters, flip_there<counters>,
             "1,024 queues whose counters go back, wrap and overtake each other")
XSCHED_FLIPS(kWriting, times, flip_there<times>, "1,024 queues of the last day and the first")
XSCHED_FLIPS(kWriting, inherits, flip_here<inherits>,
             "1,024 queues for which others are said to wait, on the same device")
XSCHED_FLIPS(kWriting, mechanisms, flip_here<mechanisms>,
             "1,024 queues of all levels, costs and states, on the same device")
XSCHED_FLIPS(kWriting, directives, flip_here<directives>,
             "1,024 queues that write their own directives, on the same device")

}  // namespace

}  // namespace xsched::test
