// GatedPath, the copies: large copies are launched in pieces, and some copies keep their caller inside the driver
// until they are done.
#include "queue/path/gated_path.h"

namespace xsched::queue {
namespace {

// Identifies a thread by this variable's address, which no other thread has.
[[gnu::tls_model("initial-exec")]] thread_local const char t_self = 0;

}  // namespace

// Returns whether a gate goes before the next piece of a copy: before every piece of a queue that may be suspended,
// since a piece is as long as the distance between gates. If the gate is closed, level 1 needs no further one: its
// first gate holds back everything behind it. Lock held.
bool GatedPath::gate_before_piece(bool closed) const {
    return makes_room() && (!closed || core_.setup.level >= kPreemptLevelDeactivate);
}

bool GatedPath::copies_in_pieces() {
    base::Lock lock(core_.mutex);
    return core_.in_use && makes_room();
}

// Returns whether another thread is launching a copy into the queue in pieces. Lock held.
bool GatedPath::in_others_split() const { return splitter_ != nullptr && splitter_ != &t_self; }

bool GatedPath::split_begins() {
    base::Lock lock(core_.mutex);
    if (!core_.in_use || core_.retired || splitter_ != nullptr) return false;
    if (reports_.enqueued(core_.submitted) != core_.submitted) return false;
    splitter_ = &t_self;
    return true;
}

void GatedPath::split_over() {
    base::Lock lock(core_.mutex);
    if (splitter_ == &t_self) splitter_ = nullptr;
}

uint64_t GatedPath::copy_piece(XqCopyKind kind, uint64_t bytes) {
    base::Lock lock(core_.mutex);
    return core_.in_use && makes_room() ? copies_.piece(kind, bytes) : 0;
}

void GatedPath::admit_piece(XqTicket& ticket, const XqPiece& piece) {
    ticket = XqTicket{};
    admit_followed(ticket, CommandKind::kPiece, &piece);
}

// Returns whether the caller of the command will be inside the driver until the command is done or its bytes are taken.
// The caller may hold locks there that other threads of the program need. So it waits before the call, until no gate of
// ours is before the command. Lock held.
bool GatedPath::caller_stays(CommandKind kind, const XqPiece* piece) const {
    if (piece != nullptr) return piece->kind == kXqPageableToDevice || piece->kind == kXqDeviceToPageable;
    return kind == CommandKind::kWork && splitter_ == &t_self;  // the last piece of a synchronous copy
}

// Returns how many commands may be before this piece. The caller of a synchronous copy does most of its waiting here.
// Lock held.
uint32_t GatedPath::most_before(const XqPiece* piece) const {
    constexpr uint32_t kBeforeLast = 2;
    return piece != nullptr ? static_cast<uint32_t>(CopyRates::most_pieces()) : kBeforeLast;
}

}  // namespace xsched::queue
