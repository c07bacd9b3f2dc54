// One client: the sentences in the log about its queues.
#include <cstdio>

#include "base/log.h"
#include "base/time.h"
#include "dispatch/client_slots.h"

namespace xsched::dispatch {

// Logs the policy's warning about a queue, once per queue, however often the warning comes and goes.
void ClientSlots::log_note(QueueHistory& queue) const {
    const policy::Note& said = queue.verdict.note;
    if (queue.warned == said.code || !policy::note_warns(said.code)) return;
    queue.warned = said.code;
    char text[256];
    XLOG_INFO("pid %d: %s", view_.pid, policy::write_note(said, text, sizeof(text)));
}

void ClientSlots::log_change(const QueueHistory& queue) const {
    const OwnUnit& own = units_[queue.own];
    const policy::Unit& unit = own.state.unit;
    const auto handle = static_cast<unsigned long long>(queue.handle);
    const char* reason = sched::reason_sentence(queue.verdict.reason);
    const sched::UnitState* by = own.table->maker_of_room(queue.verdict);
    char whom[64] = "";
    if (by != nullptr) snprintf(whom, sizeof(whom), " (pid %d, priority %d)", by->unit.pid, by->unit.priority);
    if (queue.suspended) {
        const sched::Mechanism mechanism = queue.verdict.preemption.mechanism;
        const bool known = mechanism != sched::Mechanism::kNone;
        XLOG_DEBG("queue 0x%llx of pid %d (priority %d) suspended: %s%s%s%s", handle, unit.pid, unit.priority, reason,
                  whom, known ? "; by " : "", known ? sched::mechanism_sentence(mechanism) : "");
    } else {
        char cause[32] = "";
        if (queue.delay.cause_pid() != 0) snprintf(cause, sizeof(cause), ", for pid %d", queue.delay.cause_pid());
        XLOG_DEBG("queue 0x%llx of pid %d (priority %d) resumed: %s%s; its work was delayed by %.3f ms%s%s", handle,
                  unit.pid, unit.priority, reason, whom, base::milliseconds(queue.delay.ns()), cause,
                  queue.delay.several_causes() ? " and others" : "");
    }
}

}  // namespace xsched::dispatch
