// The program's memory that may be moved: a list of ranges (memory_pieces.h), how much of it is where, and whether it
// may still be moved. Any thread; no lock is held while the driver is called.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/no_copies.h"
#include "platform/cuda/shim/memory_pieces.h"
#include "xsched/types.h"

namespace xsched::cuda {

extern std::atomic<uint64_t> g_on_card;      // bytes
extern std::atomic<uint64_t> g_on_host;      // bytes
extern std::atomic<uint64_t> g_evictable_on; // XDevice that the memory is on; 0: none yet
extern std::atomic<bool> g_stays;            // nothing is moved any more (keep_memory_in_place)

inline bool is_on_card(const PieceRange& range) { return range.pieces[0].handle != 0; }

// While it lasts the ranges stay as they are: frees wait for its end. Errands' thread alone.
class Moving : base::NoCopies {
public:
    Moving();
    ~Moving();
};

// The caller is inside a DeviceUse, so nothing is being moved.
void put_in(PieceRange* range);
// Takes the range at `memory` out of the list; nullptr: there is none. Waits while ranges are being moved.
PieceRange* take_out(CUdeviceptr memory);
// nullptr: there are fewer.
PieceRange* nth_range(size_t n);
// Finds the range around an address. Returns false if there is none.
bool find_range(CUdeviceptr address, CUdeviceptr* begin, size_t* bytes);
// The largest range on the card, or on the host, that is not larger than `most`; nullptr: there is none. While a Moving
// lasts.
PieceRange* largest_range(bool on_card, uint64_t most = UINT64_MAX);
// From here on other programs or devices may know the addresses: what is allocated stays where it is.
void keep_memory_in_place(const char* why);
// Tells the scheduler how much is where.
void tell_of_memory();

}  // namespace xsched::cuda
