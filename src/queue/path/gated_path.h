// Commands of devices that can wait on a word (XqGateOps: CUDA, HIP): gates before commands, progress after them, and a
// caller that waits at the cap (most commands in flight). A gate is a wait of the device on a word: while the queue is
// suspended, the commands behind it do not start.
//
// Without rivals (no window, not watched, no threshold set) a command costs two counters: no gate, no
// progress, and what has completed is not known but at the end of the program's own waits. When the scheduler begins to
// watch, commands report themselves from the next one on.
//
// Only threads of the program that launch, wait or destroy call the backend here. So nothing of ours can be kept by a
// lock that the driver holds for the program (docs/ARCHITECTURE.md). The agent looks at memory alone (look_if_asked);
// commands that will not be reported are published (QueueSlot::unreported), and the scheduler presumes its end.
//
// Guarded by the queue's lock, which is held where a comment says so. Any thread.
#pragma once

#include "queue/path/copy_rates.h"
#include "queue/path/gate_spacing.h"
#include "queue/path/launch_path.h"
#include "queue/path/progress_reports.h"
#include "queue/path/room_wait.h"
#include "queue/path/stand_places.h"
#include "queue/queue_core.h"

namespace xsched::queue {

class GatedPath final : public LaunchPath {
public:
    explicit GatedPath(QueueCore& core) : core_(core) {}

    XSCHED_HOT void admit(XqTicket& ticket, CommandKind kind) override;
    // Copies in pieces (queue_abi.h).
    bool copies_in_pieces() override;
    bool split_begins() override;
    void split_over() override;
    uint64_t copy_piece(XqCopyKind kind, uint64_t bytes) override;
    void admit_piece(XqTicket& ticket, const XqPiece& piece) override;
    void admit_callback(XqTicket& ticket) override { admit(ticket, CommandKind::kWork); }
    XSCHED_HOT void launched(XqTicket& ticket, uint32_t outcome) override;
    XSCHED_HOT uint64_t sync_begin() override;
    XSCHED_HOT void sync_end(uint64_t mark) override;
    void report_all() override;
    XSCHED_HOT void report_marker(XqAskLater later);
    // Call before and after a driver call that returns when the queue's work is complete.
    XSCHED_HOT void wait_begins();
    XSCHED_HOT void wait_ended();
    // Agent thread: reads the device's progress, if its memory tells.
    void look();
    // Tells the backend where the queue's gate and progress words are, before the queue's first work. The page with
    // the words is thus registered for other queues of the context as well.
    void prepare_words();
    // Wakes callers that wait in admission, so that they look at the queue's state again.
    void wake_callers();

    // --- lock held: life
    void begin();
    void after_fork();
    // Opens the old gate when the slot moves to other memory: the device may wait on it, and no scheduler would open
    // it.
    void leave_words();
    // Asks for the device's last report when the vendor's queue is destroyed (report_last follows, without the lock).
    void ask_last() { reports_.ask(core_.submitted); }
    void report_last() { write_progress(); }
    // Keeps the queue's words in the shared memory reserved after the queue is forgotten, since its stream may still
    // use them.
    void lend_words(int64_t now_ns);
    bool words_free();

    // --- lock held: what the device says
    XSCHED_HOT void absorb_progress();
    void absorb_words();  // the same, without a call to the driver
    bool observed() const { return observed_; }
    bool bound() const { return bound_; }
    bool has_gates() const { return bound_ && gates_; }
    // Returns whether gates may be in the stream, as far as known.
    bool may_have_gates() const { return gates_ || !bound_; }
    uint32_t binding() const { return binding_; }
    uint32_t waiting() const { return waiting_; }
    uint32_t inside() const { return inside_; }
    // Returns how long the device continues on average with launched work after a suspension.
    int64_t run_on_ns() const;
    // Uses no gates and a short window from now on, while a more urgent queue's work may come into the same hardware
    // queue.
    void keep_short() { short_ = true; }
    void end_short() { short_ = false; }
    // Returns whether some of the queue's work may be behind a gate that the device has not passed.
    bool behind_gate() const { return ipc::completed_commands(core_.published.slot()) < gated_until_; }
    // Returns whether commands of ours may be in the stream.
    bool touched() const { return touched_; }
    // Returns whether the queue stands, or will.
    bool has_stands() { return !stands_.has_room(core_.completed) || stands_.any(); }

private:
    struct Plan {
        bool gate = false;  // a gate goes before this command
        bool report = false;  // and its progress is written after it
        bool wait = false;  // not now
    };

    void admit_followed(XqTicket& ticket, CommandKind kind, const XqPiece* piece = nullptr);
    bool captured() const;
    bool makes_room() const;
    bool in_others_split() const;
    bool gate_before_piece(bool closed) const;
    XSCHED_HOT bool followed() const;
    XSCHED_HOT void begin_unfollowed();
    XSCHED_HOT void count(XqTicket& ticket, CommandKind kind);
    void count_followed(const Plan& plan, XqTicket& ticket, CommandKind kind, const XqPiece* piece);
    Plan decide(bool retry, CommandKind kind, const XqPiece* piece);
    bool caller_stays(CommandKind kind, const XqPiece* piece) const;
    uint32_t most_before(const XqPiece* piece) const;
    bool starts_at_once() const;
    bool gate_due(bool closed);
    int64_t gate_every_ns() const;
    bool kept_short() const;
    bool deactivates() const { return gates_ && core_.setup.level >= kPreemptLevelDeactivate; }
    void announce_waiting(RoomWait& wait);
    bool goes_ahead(RoomWait& wait, bool closed);
    void wait_for_room(const RoomWait& wait, bool closed);
    void publish_stands();
    void forget_stands();
    bool is_reported() const;
    bool must_report_before_wait();
    bool stand_begins(CommandKind kind);
    bool wait_returned(const XqTicket& ticket, uint32_t outcome);
    void report_behind_wait();
    void leave_out_stands(uint64_t completed, int64_t now_ns);
    void bind_words();
    void write_progress();
    void note_place();
    void note_launch(const XqTicket& ticket, uint32_t outcome);
    bool must_bind() const;
    void note_progress(uint64_t completed, int64_t now_ns);
    uint64_t whole_count(uint32_t value) const;

    QueueCore& core_;
    bool observed_ = false;  // completion has been followed since the queue was last idle
    bool bound_ = false;  // the backend knows the words of this placement
    bool gates_ = false;  // and can wait on them
    bool touched_ = false;
    int64_t bind_again_ns_ = 0;  // 0: no need
    bool short_ = false;
    uint64_t gated_until_ = 0;  // number of the last command with a gate before it
    bool looks_ = false;  // the device's progress can be read from its memory
    WorkShare share_;
    CopyRates copies_;
    const void* splitter_ = nullptr;  // the thread whose copy is being launched in pieces
    GateSpacing spacing_;
    ProgressReports reports_;
    StandPlaces stands_;
    bool gate_behind_wait_ = false;  // the queue may be suspended while it stands
    uint32_t binding_ = 0;  // counts them
    uint32_t waiting_ = 0;  // callers in admit, as published
    uint32_t inside_ = 0;  // callers inside the driver that wait for the queue's work, as published
    uint64_t stuck_at_ = UINT64_MAX;  // completed commands when a caller last ran out of patience
    bool words_lent_ = false;  // the words are still lent to the stream of an earlier queue
    int64_t lent_ns_ = 0;
};

}  // namespace xsched::queue
