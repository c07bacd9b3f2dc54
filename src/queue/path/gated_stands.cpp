// GatedPath, waits that the device does not end (stand_places.h).
#include "base/clock.h"
#include "queue/path/gated_path.h"

namespace xsched::queue {

// Writes to the slot where the queue stands (stand_places.h). Lock held.
void GatedPath::publish_stands() {
    for (int at = 0; at < ipc::kMostStands; ++at) core_.published.stands_at(stands_.mark(at), at);
}

// Forgets at which waits the queue stands. All work in the stream then counts as device work until the device reports
// its end. Lock held.
void GatedPath::forget_stands() {
    if (!stands_.any() && stands_.open() == 0) return;
    stands_.forget();
    publish_stands();
}

// Returns whether the device will report the completion of every command before the next one, without waiting for the
// next one. Lock held.
bool GatedPath::is_reported() const {
    return reports_.settled() && (reports_.written() == core_.submitted || core_.completed == core_.submitted);
}

// Returns whether the commands before the next one, a wait, must first be made to report. Lock held.
bool GatedPath::must_report_before_wait() {
    if (core_.retired || !bound_ || !gates_ || is_reported()) return false;
    absorb_progress();
    if (is_reported() || !stands_.has_room(core_.completed)) return false;
    reports_.ask(core_.submitted);
    return true;
}

// Begins a stand if the command is a wait at which the queue will stand. Lock held, before the command is counted.
bool GatedPath::stand_begins(CommandKind kind) {
    // If another thread's wait is on its way to the driver, it is unknown which of the two the device meets first. So
    // that wait counts as an ordinary command.
    if (stands_.is_on_its_way() && stands_.revoke()) publish_stands();
    if (kind != CommandKind::kWait || core_.retired || !bound_ || !gates_) return false;
    if (reports_.enqueued(core_.submitted) != core_.submitted || !is_reported()) return false;
    if (!stands_.has_room(core_.completed)) return false;
    stands_.begins(core_.submitted);
    publish_stands();
    gate_behind_wait_ = true;
    return true;
}

// Notes that the driver's call of a wait has returned. Returns false if it counts as an ordinary command. No lock held.
bool GatedPath::wait_returned(const XqTicket& ticket, uint32_t outcome) {
    {
        base::Lock lock(core_.mutex);
        if (!core_.in_use || core_.retired || stands_.open() != ticket.stand) return false;
        if ((outcome & kXqSucceeded) == 0) {
            stands_.revoke();
            publish_stands();
            return false;
        }
        stands_.call_returned(ticket.stand);
        reports_.ask(core_.submitted);
    }
    if ((outcome & kXqReportLater) != 0)
        reports_.owe();
    else
        report_behind_wait();
    return true;
}

// Makes the device report directly behind the wait of the program at which the queue stands, before any other command
// enters the stream. So the end of that wait is seen. No lock held.
void GatedPath::report_behind_wait() {
    write_progress();
    base::Lock lock(core_.mutex);
    if (!stands_.lacks_report()) return;
    const bool reported = reports_.settled() && reports_.written() >= stands_.open();
    if (reported || core_.completed >= stands_.open())
        stands_.reported();
    else
        forget_stands();  // the driver refused it, or another thread is about to make the call
}

// Subtracts the time that the queue stood, which is not device time. Lock held, before `completed` counts.
void GatedPath::leave_out_stands(uint64_t completed, int64_t now_ns) {
    if (!stands_.any() || !stands_.ended(core_.completed, completed)) return;
    const bool only_wait = completed == core_.completed + 1;
    // Begins to count device time again after a wait. If the same report also covers commands behind the wait, the
    // wait ended at an unknown time: completions are seen late by at most kReportEveryNs, and only that time counts.
    core_.meter.flight_began(only_wait ? now_ns : now_ns - kReportEveryNs);
}

}  // namespace xsched::queue
