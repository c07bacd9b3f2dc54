// The program's memory that may be moved: lists of ranges (memory_pieces.h, physical.h), how much of it is where, and
// whether it may still be moved. Any thread; no lock is held while the driver is called.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/no_copies.h"
#include "platform/stream/shim/memory/memory_pieces.h"
#include "xsched/types.h"

namespace xsched::stream::memory {

extern std::atomic<uint64_t> g_on_card;      // bytes that can be moved
extern std::atomic<uint64_t> g_on_host;      // bytes
extern std::atomic<uint64_t> g_evictable_on; // XDevice that the memory is on; 0: none yet
extern std::atomic<bool> g_stays;            // nothing is moved any more (keep_memory_in_place)

inline bool is_on_card(const PieceRange& range) { return range.pieces[0].handle != 0; }

// Keeps all ranges as they are while the object exists: frees wait for its end.
class Moving : base::NoCopies {
public:
    Moving();
    ~Moving();
};

// Adds a range to the list. The caller is inside a DeviceUse, so nothing is being moved.
void put_in(PieceRange* range);
// Takes the range at `memory` out of the list; nullptr: there is none. Waits while ranges are being moved.
PieceRange* take_out(Address memory);
// Takes memory of the program's own cuMemCreate out of the list, and waits as well.
void take_out(PieceRange& range);
// Stores the contexts in which ranges were allocated, each once, in any order. Returns how many there are; at most
// `most`.
size_t contexts_with_ranges(Context* contexts, size_t most);
// Returns the address of some range that was allocated in this context; 0: there is none.
Address range_in_context(Context context);
// Makes the ranges that were allocated in this context usable by a device too. The caller is inside a DeviceUse.
Result open_ranges_to(Context context, Device device);
// Finds the range around an address; the pointers may be null. Returns false if there is none.
bool find_range(Address address, Address* begin, size_t* bytes);
// Notes how much of a range the program has asked for: the range is used again.
void set_asked_bytes(PieceRange& range, size_t bytes);
// Gives the range around an address its number among those that other processes may open, and says which it is.
// Returns false if there is none.
struct NumberedRange {
    uint64_t number;
    size_t bytes, asked_bytes;
};
bool number_range(Address address, NumberedRange* numbered);
// Returns the range of that number; nullptr: it has been freed. Call while a Moving exists.
const PieceRange* range_of_number(uint64_t number);
// The ranges on the card that may be moved, or those on the host: the largest first, equally large ones by address.
// None if there is no memory for the list. Lasts no longer than a Moving.
class RangesBySize : base::NoCopies {
public:
    explicit RangesBySize(bool on_card);
    ~RangesBySize();
    PieceRange* const* begin() const { return ranges_; }
    PieceRange* const* end() const { return ranges_ + count_; }

private:
    PieceRange** ranges_ = nullptr;
    size_t count_ = 0;
};
// Stops all moves for good, because from now on other devices or libraries may use any address. `why` is logged.
void keep_memory_in_place(const char* why);
// Makes the range around this address stay where it is, because others may know its addresses. The caller is inside a
// DeviceUse. Returns false if the address is in no range, or the range stays already.
bool keep_range_in_place(Address address);
bool keep_range_in_place(PieceRange& range);
// Makes memory of the program's own cuMemCreate stay where it is when its context is destroyed, which the memory
// outlives. Returns how many bytes. The caller is inside a DeviceUse.
uint64_t keep_physicals_of(Context context);
// Counts the ranges that are on the host as lost: nothing tries to bring them back, and no memory of this program moves
// from now on. Unmaps nothing. Call while a Moving exists, or when nothing moves.
void lose_host_ranges();
// Forgets all ranges. Call in a forked child, which has no device.
void forget_program_memory();
// Tells the scheduler how many bytes are on the card and how many on the host.
void tell_of_memory();

}  // namespace xsched::stream::memory
