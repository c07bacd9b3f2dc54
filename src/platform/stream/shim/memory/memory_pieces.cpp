#include "platform/stream/shim/memory/memory_pieces.h"

#include <cstdlib>

namespace xsched::stream::memory {
bool has_pieces() {
    return driver<kMemAddressReserve>() != nullptr && driver<kMemCreate>() != nullptr && driver<kMemMap>() != nullptr &&
           driver<kMemSetAccess>() != nullptr && driver<kMemUnmap>() != nullptr && driver<kMemRelease>() != nullptr &&
           driver<kMemAddressFree>() != nullptr;
}

bool has_descriptors(Device device) {
    static const bool has = can_export(device) && driver<kMemExportToShareableHandle>() != nullptr;
    return has;
}

namespace {

// Returns how many bytes to map for this piece. On platforms that do not map in pieces, the first piece maps the
// whole range.
size_t mapped_bytes(const PieceRange& range, size_t piece) { return kInPieces ? range.bytes_of(piece) : range.bytes; }
bool comes_with_the_first(size_t piece) { return !kInPieces && piece != 0; }

}  // namespace

Result map_piece(PieceRange& range, size_t piece) {
    if (comes_with_the_first(piece)) return kSuccess;
    MemoryProperties wanted{};
    wanted.type = kPinned;
    wanted.requestedHandleTypes = has_descriptors(range.device) ? kFileDescriptor : 0;
    wanted.location = {kOnDevice, range.device};
    static const bool rdma = rdma_may_use(range.device);
    wanted.usable_by_rdma = rdma ? 1 : 0;
    Piece& it = range.pieces[piece];
    Result code = vendor_call<kMemCreate>(&it.handle, mapped_bytes(range, piece), &wanted, 0);
    if (code != kSuccess) {
        it.handle = 0;
        return code;
    }
    code = vendor_call<kMemMap>(range.address_of(piece), mapped_bytes(range, piece), 0, it.handle, 0);
    if (code == kSuccess) return code;
    vendor_call<kMemRelease>(it.handle);
    it.handle = 0;
    return code;
}

void unmap_piece(PieceRange& range, size_t piece) {
    Piece& it = range.pieces[piece];
    if (it.handle == 0) return;
    vendor_call<kMemUnmap>(range.address_of(piece), mapped_bytes(range, piece));
    vendor_call<kMemRelease>(it.handle);
    it.handle = 0;
}

namespace {

Result open_to(Device device, Address begin, size_t bytes) {
    const MemoryAccess access{{kOnDevice, device}, kReadAndWrite};
    return vendor_call<kMemSetAccess>(begin, bytes, &access, 1);
}

}  // namespace

Result open_piece(const PieceRange& range, size_t piece) {
    if (comes_with_the_first(piece)) return kSuccess;
    return open_to(range.device, range.address_of(piece), mapped_bytes(range, piece));
}

Result open_range_to(const PieceRange& range, Device device) { return open_to(device, range.begin, range.bytes); }

PieceRange* make_range(Context context, Device device, size_t bytes, Result* code) {
    const size_t whole = (bytes + kGranularity - 1) / kGranularity * kGranularity;
    const size_t count = count_of_pieces(whole);
    void* memory = std::calloc(1, sizeof(PieceRange) + count * sizeof(Piece));
    *code = kOutOfMemory;
    if (memory == nullptr) return nullptr;
    auto* range = static_cast<PieceRange*>(memory);
    range->pieces = reinterpret_cast<Piece*>(range + 1);
    range->context = context;
    range->device = device;
    range->asked_bytes = bytes;
    range->bytes = whole;
    range->count = count;
    *code = vendor_call<kMemAddressReserve>(&range->begin, whole, kGranularity, 0, 0);
    if (*code != kSuccess) {
        std::free(memory);
        return nullptr;
    }
    range->mapped = range->begin;
    for (size_t i = 0; i < count && *code == kSuccess; ++i) *code = map_piece(*range, i);
    if (*code == kSuccess) *code = open_range_to(*range, device);
    if (*code == kSuccess) return range;
    destroy_range(range);
    return nullptr;
}

void destroy_range(PieceRange* range) {
    for (size_t i = 0; i < range->count; ++i) unmap_piece(*range, i);
    vendor_call<kMemAddressFree>(range->begin, range->bytes);
    std::free(range);
}

}  // namespace xsched::stream::memory
