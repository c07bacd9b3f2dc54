#include "agent/decision_log.h"

#include <cstdio>
#include <cstring>

#include "base/log.h"
#include "base/time.h"
#include "sched/facts/mechanism.h"
#include "sched/facts/unit.h"
#include "xsched/types.h"

namespace xsched::agent {
namespace {

// How far the scheduler's decisions about this process have been logged: the shared memory that they were read from,
// and the number of the next one. A new server has new memory, where the numbers begin again. Used by the agent's
// thread alone.
const ipc::Header* g_of = nullptr;
uint32_t g_next = 0;

struct Text {
    char text[128];
};

// Returns the queue's name as launches are logged: "queue 0x55d0" for OpenCL, "stream 0x55d0" for the others, whose
// default streams have no handle.
Text name_of(const ipc::Region& region, uint32_t slot_number) {
    Text name{"a queue"};
    if (slot_number >= ipc::kMostQueues) return name;
    const ipc::QueueSlot& slot = region.slots[slot_number];
    const auto vendor = static_cast<uintptr_t>(slot.hwq.load(std::memory_order_relaxed));
    const uint32_t platform = slot.platform.load(std::memory_order_relaxed);
    const bool is_stream = platform == kPlatformCUDA || platform == kPlatformHIP;
    constexpr uintptr_t kDefaultStream = 3;  // bits of platform/stream/hal/stream_id.h
    const uintptr_t handle = is_stream && (vendor & kDefaultStream) != 0 ? 0 : vendor;
    snprintf(name.text, sizeof(name.text), "%s %p", is_stream ? "stream" : "queue", reinterpret_cast<void*>(handle));
    return name;
}

// Returns "; by its gate: ..." for the log line. Returns an empty text if no mechanism was chosen, as beside another
// stream of the same program. OpenCL queues are kept off by holds, not by gates.
Text mechanism_of(const ipc::Region& region, const ipc::Decision& decision) {
    const auto mechanism = static_cast<sched::Mechanism>(decision.mechanism);
    if (mechanism == sched::Mechanism::kNone) return {""};
    const char* sentence = sched::mechanism_sentence(mechanism);
    constexpr char kGate[] = "its gate";
    const bool opencl = decision.slot < ipc::kMostQueues &&
                        region.slots[decision.slot].platform.load(std::memory_order_relaxed) == kPlatformOpenCL;
    const bool hold = opencl && strncmp(sentence, kGate, sizeof(kGate) - 1) == 0;
    Text text;
    snprintf(text.text, sizeof(text.text), "; by %s%s", hold ? "a hold" : "",
             hold ? sentence + sizeof(kGate) - 1 : sentence);
    return text;
}

Text other_of(const ipc::Decision& decision) {
    Text other{""};
    if (decision.pid == 0) return other;
    snprintf(other.text, sizeof(other.text), " (pid %d, priority %d)", decision.pid, decision.pid_priority);
    return other;
}

void log_one(const ipc::Region& region, const ipc::Decision& decision) {
    const Text name = name_of(region, decision.slot);
    const char* reason = sched::reason_sentence(static_cast<sched::Reason>(decision.reason));
    const Text mechanism = mechanism_of(region, decision);
    const double delayed_ms = base::milliseconds(decision.delayed_ns);
    switch (decision.kind) {
        case ipc::DecisionKind::kSuspended:
            XLOG_DEBG("%s (priority %d) suspended: %s%s%s", name.text, decision.priority, reason,
                      other_of(decision).text, mechanism.text);
            break;
        case ipc::DecisionKind::kResumed: {
            char cause[32] = "";
            if (decision.pid != 0) snprintf(cause, sizeof(cause), ", for pid %d", decision.pid);
            XLOG_DEBG("%s (priority %d) resumed: %s; its work was delayed by %.3f ms%s", name.text, decision.priority,
                      reason, delayed_ms, cause);
            break;
        }
        case ipc::DecisionKind::kSuspendedFor:
            XLOG_DEBG("%s (priority %d) has queue %u of pid %d (priority %d) suspended%s", name.text, decision.priority,
                      decision.pid_queue, decision.pid, decision.pid_priority, mechanism.text);
            break;
        case ipc::DecisionKind::kResumedFor:
            XLOG_DEBG("queue %u of pid %d (priority %d), suspended for %s, resumed; its work was delayed by %.3f ms",
                      decision.pid_queue, decision.pid, decision.pid_priority, name.text, delayed_ms);
            break;
    }
}

}  // namespace

void want_decisions(ipc::Header& header) {
    const bool wants = base::log_enabled(base::LogLevel::kDebug);
    header.wants_decisions.store(wants ? 1 : 0, std::memory_order_relaxed);
}

void log_decisions(ipc::Region& region) {
    const ipc::DecisionRing& ring = region.header.decisions;
    if (g_of != &region.header) {
        g_of = &region.header;
        g_next = 0;
    }
    const uint32_t end = ring.end();
    if (end - g_next > ipc::DecisionRing::kEntries) {
        XLOG_DEBG("%u decisions of the scheduler came too fast for this log",
                  end - g_next - ipc::DecisionRing::kEntries);
        g_next = end - ipc::DecisionRing::kEntries;
    }
    for (; g_next != end; ++g_next) {
        ipc::Decision decision;
        if (ring.read(g_next, decision)) log_one(region, decision);
    }
}

}  // namespace xsched::agent
