#include "platform/stream/shim/memory/opened_memory.h"

#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/log.h"
#include "base/mutex.h"
#include "base/packets.h"
#include "base/unique_fd.h"
#include "platform/stream/shim/device_use.h"
#include "platform/stream/shim/keep_errno.h"
#include "platform/stream/shim/memory/memory_pieces.h"
#include "platform/stream/shim/memory/piece_server.h"
#include "platform/stream/shim/memory/shared_name.h"
#include "platform/stream/shim/streams.h"

namespace xsched::stream::memory {
namespace {

struct Opened {
    Opened* next = nullptr;
    SharedName name{};
    Context context = nullptr;
    Address begin = 0;
    size_t mapped = 0;  // pieces
    size_t times = 1;   // that the program has opened it
};
constinit base::Mutex g_opened_mutex;  // guards the next one
constinit Opened* g_opened = nullptr;

// Takes the first opened memory that `is_it` accepts out of the list; nullptr: there is none. g_opened_mutex held.
template <typename IsIt>
Opened* take_first(IsIt is_it) {
    Opened** at = &g_opened;
    while (*at != nullptr && !is_it(**at)) at = &(*at)->next;
    return *at != nullptr ? std::exchange(*at, (*at)->next) : nullptr;
}

size_t bytes_of_piece(const SharedName& name, size_t piece) {
    const size_t at = piece * kPieceBytes;
    return name.bytes - at < kPieceBytes ? name.bytes - at : kPieceBytes;
}

// Returns a connection to the process that has the memory; -1: it has ended, belongs to another user, or does not
// answer.
int connect_to_place(uint64_t place) {
    base::UniqueFd peer(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    const timeval patience{kPacketPatienceMs / 1000, 0};
    sockaddr_un address{};
    const socklen_t length = address_of_place(place, &address);
    const bool good = peer && setsockopt(peer.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
                      connect(peer.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0 &&
                      is_of_same_user(peer.get());
    return good ? peer.release() : -1;
}

// Returns the descriptor of a piece; -1: `code` says why.
int ask_for_piece(const SharedName& name, size_t piece, Result* code) {
    *code = kMapFailed;
    const base::UniqueFd peer(connect_to_place(name.place));
    const PieceRequest request{name.place, name.number, piece};
    if (!peer || !base::send_packet(peer.get(), &request, sizeof request)) return -1;
    PieceAnswer answer{};
    int descriptor = -1;
    const long got = base::receive_packet(peer.get(), &answer, sizeof answer, &descriptor, kPacketPatienceMs);
    if (got == static_cast<long>(sizeof answer)) *code = answer.code;
    if (*code == kSuccess && descriptor < 0) *code = kMapFailed;
    if (*code == kSuccess) return descriptor;
    if (descriptor >= 0) close(descriptor);
    return -1;
}

Result map_next_piece(Opened& opened) {
    Result code = kSuccess;
    const base::UniqueFd piece(ask_for_piece(opened.name, opened.mapped, &code));
    if (!piece) return code;
    Handle handle = 0;
    code = vendor_call<kMemImportFromShareableHandle>(&handle, reinterpret_cast<void*>(intptr_t{piece.get()}),
                                                      kFileDescriptor);
    if (code != kSuccess) return code;
    code = vendor_call<kMemMap>(opened.begin + opened.mapped * kPieceBytes, bytes_of_piece(opened.name, opened.mapped),
                                0, handle, 0);
    vendor_call<kMemRelease>(handle);  // the mapping keeps the memory
    if (code == kSuccess) ++opened.mapped;
    return code;
}

void unmap_all(const Opened& opened) {
    for (size_t i = 0; i < opened.mapped; ++i)
        vendor_call<kMemUnmap>(opened.begin + i * kPieceBytes, bytes_of_piece(opened.name, i));
    vendor_call<kMemAddressFree>(opened.begin, opened.name.bytes);
}

Result map_all(Opened& opened, Device device) {
    Result code = vendor_call<kMemAddressReserve>(&opened.begin, opened.name.bytes, kGranularity, 0, 0);
    if (code != kSuccess) return code;
    const size_t count = count_of_pieces(opened.name.bytes);
    while (code == kSuccess && opened.mapped < count) code = map_next_piece(opened);
    const MemoryAccess access{{kOnDevice, device}, kReadAndWrite};
    if (code == kSuccess) code = vendor_call<kMemSetAccess>(opened.begin, opened.name.bytes, &access, 1);
    if (code != kSuccess) unmap_all(opened);
    return code;
}

// Counts one more opening of the same memory in the same context. Returns its address; 0: it is not open there.
// g_opened_mutex held.
Address count_opening(const SharedName& name, Context context) {
    for (Opened* it = g_opened; it != nullptr; it = it->next) {
        if (it->context != context || std::memcmp(&it->name, &name, sizeof name) != 0) continue;
        ++it->times;
        return it->begin;
    }
    return 0;
}

Address open_again(const SharedName& name, Context context) {
    base::Lock lock(g_opened_mutex);
    return count_opening(name, context);
}

// Puts the memory into the list, and returns its address. If another thread has opened the same meanwhile, returns that
// one's address, and the list has nothing new.
Address put_opened(Opened& opened) {
    base::Lock lock(g_opened_mutex);
    if (const Address other = count_opening(opened.name, opened.context)) return other;
    opened.next = std::exchange(g_opened, &opened);
    g_some_opened.store(true, std::memory_order_release);
    return opened.begin;
}

void tell_failure(const SharedName& name, Result code) {
    if (code == kMapFailed)
        XLOG_WARN(
            "memory of process %d cannot be opened: the process has ended, belongs to another user, or cannot be "
            "reached from here (memory.md)",
            name.pid);
    else
        XLOG_WARN("memory of process %d cannot be opened: it has been freed, or the driver refuses it (error %d)",
                  name.pid, code);
}

Result open_by_name(Address* memory, const SharedName& name) {
    Context const context = current_context(*hal_api());
    if (memory == nullptr || name.bytes == 0 || name.bytes % kGranularity != 0) return kInvalidValue;
    if (context == nullptr || name.place == place_of_pieces()) return kInvalidContext;  // as natively
    if ((*memory = open_again(name, context)) != 0) return kSuccess;
    if (!has_pieces() || driver<kMemImportFromShareableHandle>() == nullptr) return kNotSupported;
    void* const place = std::malloc(sizeof(Opened));
    if (place == nullptr) return kOutOfMemory;
    auto* const opened = new (place) Opened{.name = name, .context = context};
    DeviceUse use;
    const Result code = map_all(*opened, device_of(*hal_api(), context));
    use.leave();
    if (code != kSuccess) {
        std::free(opened);
        tell_failure(name, code);
        return code;
    }
    const Address begin = opened->begin;
    *memory = put_opened(*opened);
    if (*memory != begin) {
        unmap_all(*opened);
        std::free(opened);
    }
    return code;
}

// Unmaps opened memory after the work of its context is complete, as the driver waits natively when memory is closed.
Result close_opened(Opened* opened) {
    InContext inside;
    DeviceUse use;
    const Result code = inside.enter(*hal_api(), opened->context) ? vendor_call<kSynchronizeAll>() : kInvalidContext;
    unmap_all(*opened);
    use.leave();
    std::free(opened);
    return code;
}

}  // namespace

constinit std::atomic<bool> g_some_opened{false};

bool open_named(Address* memory, const IpcName& name, Result* code) {
    SharedName ours{};
    std::memcpy(&ours, &name, sizeof ours);
    if (ours.magic != SharedName::kMagic) return false;
    const KeepErrno keep;
    *code = open_by_name(memory, ours);
    return true;
}

bool close_named(Address memory, Result* code) {
    const KeepErrno keep;
    Opened* last = nullptr;
    {
        base::Lock lock(g_opened_mutex);
        Opened* it = g_opened;
        while (it != nullptr && it->begin != memory) it = it->next;
        if (it == nullptr) return false;
        if (--it->times == 0) last = take_first([it](const Opened& each) { return &each == it; });
    }
    *code = last != nullptr ? close_opened(last) : kSuccess;
    return true;
}

bool find_opened(Address address, Address* begin, size_t* bytes) {
    base::Lock lock(g_opened_mutex);
    for (const Opened* it = g_opened; it != nullptr; it = it->next) {
        if (address - it->begin >= it->name.bytes) continue;
        *begin = it->begin;
        *bytes = it->name.asked_bytes;
        return true;
    }
    return false;
}

void forget_opened(Context context) {
    for (;;) {
        Opened* gone = nullptr;
        {
            base::Lock lock(g_opened_mutex);
            gone = take_first([context](const Opened& it) { return it.context == context; });
        }
        if (gone == nullptr) return;
        close_opened(gone);
    }
}

void forget_all_opened() { g_opened = nullptr; }

}  // namespace xsched::stream::memory
