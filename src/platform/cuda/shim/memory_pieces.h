// Memory of the device in pieces behind one range of addresses. A piece can go to the host and come back while the
// addresses stay, so pointers in arguments, graphs and the program's own data remain right. Calls the driver itself,
// without locks; a context of the device is current.
#pragma once

#include <cstddef>
#include <cstdint>

#include "platform/cuda/shim/platform.h"

namespace xsched::cuda {

// The largest piece. Measured on an H100: pieces of 64 MiB are mapped at 1.2 ms per GiB, those of 2 MiB at 30.
inline constexpr size_t kPieceBytes = size_t{64} << 20;
// The unit in which the driver maps (cuMemGetAllocationGranularity on every NVIDIA GPU of today).
inline constexpr size_t kGranularity = size_t{2} << 20;

// cuda.h's.
inline constexpr int kPinned = 1;        // CU_MEM_ALLOCATION_TYPE_PINNED
inline constexpr int kFileDescriptor = 1;  // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
inline constexpr int kOnDevice = 1;      // CU_MEM_LOCATION_TYPE_DEVICE
inline constexpr int kReadAndWrite = 3;  // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
struct CUmemAllocationProp {
    int type;
    int requestedHandleTypes;
    CUmemLocation location;
    void* win32HandleMetaData;
    unsigned char compression, usable_by_rdma;
    unsigned short usage;  // 0: memory for mappings, else for sparse arrays
    unsigned char reserved[4];
};
struct CUmemAccessDesc {
    CUmemLocation location;
    int flags;
};

struct Piece {
    CUmemGenericAllocationHandle handle = 0;  // 0: not on the device
    void* host = nullptr;                     // its bytes while it is not
};

struct Physical;

// One allocation of the program.
struct PieceRange {
    PieceRange* next = nullptr;
    PieceRange** link = nullptr;  // the pointer to it in its list
    CUcontext context = nullptr;  // in which it was allocated, and with which it ends
    CUdevice device = -1;
    CUdeviceptr begin = 0;
    CUdeviceptr mapped = 0;  // where copies find it
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
    CUdeviceptr address_of(size_t piece) const { return mapped + piece * kPieceBytes; }
};

inline size_t count_of_pieces(size_t bytes) { return (bytes + kPieceBytes - 1) / kPieceBytes; }

// Returns whether the driver has the functions.
bool has_pieces();
// Returns whether memory of the device can be shared by descriptors.
bool has_descriptors(CUdevice device);
// Reserves addresses and puts memory behind them. nullptr: `code` says why.
PieceRange* make_range(CUcontext context, CUdevice device, size_t bytes, CUresult* code);
// Gives everything back, and the object. Nothing may use the memory any more.
void destroy_range(PieceRange* range);
// Puts memory behind a piece, with undefined contents.
CUresult map_piece(PieceRange& range, size_t piece);
void unmap_piece(PieceRange& range, size_t piece);
// Makes a piece usable by its device.
CUresult open_piece(const PieceRange& range, size_t piece);
// Makes all pieces usable by a device.
CUresult open_range_to(const PieceRange& range, CUdevice device);

}  // namespace xsched::cuda
