// A client without a process: ordinary memory laid out as ipc::Region, and the stores that a queue makes in it.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

#include "base/clock.h"
#include "dispatch/dispatcher.h"
#include "ipc/layout.h"
#include "xsched/types.h"

namespace xsched::dispatch::testing {

inline constexpr int64_t kUs = base::kMicrosecond;
inline constexpr int64_t kMs = base::kMillisecond;
inline constexpr int64_t kStart = 100 * base::kSecond;

// As an H100 has them.
inline constexpr sched::Costs kGpu{
    .switch_us = 175, .off_us = 700, .most_off_us = 3000, .effect_us = 300, .interrupt_us = 500};

class FakeClient {
public:
    FakeClient(uint32_t id, int32_t pid) : id_(id), pid_(pid), region_(std::make_unique<ipc::Region>()) {}

    ClientView view() { return {.id = id_, .pid = pid_, .region = region_.get()}; }
    ipc::Header& header() { return region_->header; }
    ipc::QueueSlot& slot(uint32_t at) { return region_->slots[at]; }
    uint32_t rings() { return header().directive.load(); }
    bool suspended(uint32_t at) { return slot(at).suspended.load() != 0; }

    void make_queue(uint32_t at, int32_t priority, uint64_t device = 1, uint64_t handle = 0) {
        ipc::QueueSlot& queue = slot(at);
        queue.handle = handle != 0 ? handle : (uint64_t{id_} << 32) + at + 1;
        queue.device = device;
        queue.priority = priority;
        queue.submitted = 0;
        queue.completed = 0;
        queue.ready_since_ns = 0;
        queue.idle_since_ns = 0;
        queue.inherited_until[0] = 0;
        queue.command_ns = kMs;
        queue.switch_us = 0;
        queue.suspended = 0;
        queue.gate = ipc::kGateOpen;
        queue.state = static_cast<uint32_t>(ipc::SlotState::kUsed);
        if (header().slot_end <= at) header().slot_end = at + 1;
    }
    // Makes the device one whose running work can be taken off. Call it before the first pass.
    void make_interruptible(uint32_t at) {
        ipc::QueueSlot& queue = slot(at);
        queue.levels = 0b1110;
        queue.level = kPreemptLevelInterrupt;
        queue.switch_us = kGpu.switch_us;
        queue.off_us = kGpu.off_us;
        queue.most_off_us = kGpu.most_off_us;
        queue.effect_us = kGpu.effect_us;
        queue.interrupt_us = kGpu.interrupt_us;
    }
    void free_queue(uint32_t at) { slot(at).state = static_cast<uint32_t>(ipc::SlotState::kFree); }
    void submit(uint32_t at, int64_t now_ns, uint64_t count = 1) {
        if (slot(at).submitted == slot(at).completed) slot(at).ready_since_ns = now_ns;
        slot(at).submitted += count;
    }
    void complete(uint32_t at, int64_t now_ns) {
        slot(at).completed = slot(at).submitted.load();
        slot(at).idle_since_ns = now_ns;
    }
    // Fills the slot with random bytes.
    void scribble(uint32_t at, std::mt19937_64& random) {
        uint64_t words[sizeof(ipc::QueueSlot) / sizeof(uint64_t)];
        for (uint64_t& word : words) word = random();
        std::memcpy(static_cast<void*>(&slot(at)), words, sizeof(words));
    }

private:
    uint32_t id_;
    int32_t pid_;
    std::unique_ptr<ipc::Region> region_;
};

inline sched::Core hpf_core(sched::Settings settings = {}) {
    return sched::Core(policy::find_policy("HPF")->make(), settings);
}

// Makes the passes that the dispatcher asks for within the next `ns`, and moves `now_ns` on. Returns how many.
inline int passes_within(Dispatcher& dispatcher, int64_t& now_ns, int64_t ns) {
    const int64_t end_ns = now_ns + ns;
    int passes = 0;
    while (now_ns < end_ns) {
        const int64_t next_ns = dispatcher.pass(now_ns, {});
        ++passes;
        now_ns = next_ns == 0 ? end_ns : std::clamp(next_ns, now_ns + kUs, end_ns);
    }
    return passes;
}

}  // namespace xsched::dispatch::testing
