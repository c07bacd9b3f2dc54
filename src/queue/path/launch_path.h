// How commands of one queue get to the driver: held, gated or buffered, as the device allows (device.h). Chosen when
// the queue is made. All without the queue's lock; any thread.
#pragma once

#include "base/hot.h"
#include "queue/abi/abi_types.h"
#include "queue/path/command_meter.h"
#include "queue/ticket.h"

namespace xsched::queue {

class LaunchPath {
public:
    // See xq_admit and xq_launched.
    virtual void admit(XqTicket& ticket, CommandKind kind) = 0;
    virtual void launched(XqTicket& ticket, uint32_t outcome) = 0;
    // Carries out xq_admit_standing (abi/queue_abi.h).
    virtual void admit_standing(XqTicket& ticket, XqStand) { admit(ticket, CommandKind::kWork); }
    // Carries out xq_admit_unheld.
    virtual void admit_unheld(XqTicket& ticket) { admit(ticket, CommandKind::kWork); }
    // See xq_admit_piece. Only gated queues treat a piece specially.
    virtual void admit_piece(XqTicket& ticket, const XqPiece&) { admit(ticket, CommandKind::kWork); }
    // A copy in pieces: as xq_copies_in_pieces, xq_split_begins, xq_split_over and xq_copy_piece.
    virtual bool copies_in_pieces() = 0;
    virtual bool split_begins() { return false; }
    virtual void split_over() {}
    virtual uint64_t copy_piece(XqCopyKind kind, uint64_t bytes) = 0;
    // Admits a command of the C API, which the core itself launches.
    virtual void admit_callback(XqTicket& ticket) = 0;
    // See xq_sync_begin and xq_sync_end.
    virtual uint64_t sync_begin() = 0;
    virtual void sync_end(uint64_t mark) = 0;
    // Makes sure that the completion of every launched command will be reported.
    virtual void report_all() = 0;

protected:
    ~LaunchPath() = default;
};

}  // namespace xsched::queue
