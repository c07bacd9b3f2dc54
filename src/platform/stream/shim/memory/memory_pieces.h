// Memory of the device in pieces behind one range of addresses. A piece can go to the host and come back while the
// addresses stay, so pointers in arguments, graphs and the program's own data remain right. Calls the driver itself,
// without locks; a context of the device is current.
#pragma once

#include <cstddef>
#include <cstdint>

#include "platform/stream/shim/memory/vendor_call.h"

namespace xsched::stream::memory {

// The largest piece. Measured on an H100: pieces of 64 MiB are mapped at 1.2 ms per GiB, those of 2 MiB at 30.
inline constexpr size_t kPieceBytes = size_t{64} << 20;
// The unit in which drivers map (cuMemGetAllocationGranularity on every NVIDIA GPU of today).
inline constexpr size_t kGranularity = size_t{2} << 20;

struct Piece {
    Handle handle = 0;  // 0: not on the device
    void* host = nullptr;                     // its bytes while it is not
};

struct Physical;

// One allocation of the program.
struct PieceRange {
    PieceRange* next = nullptr;
    PieceRange** link = nullptr;  // the pointer to it in its list
    Context context = nullptr;  // in which it was allocated, and with which it ends
    Device device = -1;
    Address begin = 0;
    Address mapped = 0;  // where copies find it
    Physical* physical = nullptr;  // the program has created and mapped it itself, as one piece (physical.h)
    size_t asked_bytes = 0;  // by the program
    size_t bytes = 0;        // in whole granules
    size_t count = 0;        // pieces; of memory of the program's own cuMemCreate: parts on the host
    uint64_t number = 0;     // among those that other processes may open; 0: none
    bool stays = false;      // others know the addresses, so it is never moved (program_memory.h)
    Piece* pieces = nullptr;  // `count` of them

    size_t bytes_of(size_t piece) const {
        const size_t at = piece * kPieceBytes;
        return bytes - at < kPieceBytes ? bytes - at : kPieceBytes;
    }
    Address address_of(size_t piece) const { return mapped + piece * kPieceBytes; }
};

inline size_t count_of_pieces(size_t bytes) { return (bytes + kPieceBytes - 1) / kPieceBytes; }

// Returns whether the driver has the functions.
bool has_pieces();
// Returns whether memory of the device can be shared by descriptors.
bool has_descriptors(Device device);
// Reserves addresses and puts memory behind them. nullptr: `code` says why.
PieceRange* make_range(Context context, Device device, size_t bytes, Result* code);
// Gives everything back, and the object. Nothing may use the memory any more.
void destroy_range(PieceRange* range);
// Puts memory behind a piece, with undefined contents.
Result map_piece(PieceRange& range, size_t piece);
void unmap_piece(PieceRange& range, size_t piece);
// Makes a piece usable by its device.
Result open_piece(const PieceRange& range, size_t piece);
// Makes all pieces usable by a device.
Result open_range_to(const PieceRange& range, Device device);

}  // namespace xsched::stream::memory
