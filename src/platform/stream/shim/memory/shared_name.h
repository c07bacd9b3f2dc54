// The name of memory for other processes (cuIpcGetMemHandle) where the driver gives none: memory of cuMemAlloc that is
// made of pieces. It has the size of the driver's names, and only XSched in another process can open it.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "platform/stream/shim/memory/vendor_call.h"

namespace xsched::stream::memory {

struct SharedName {
    static constexpr uint64_t kMagic = 0x6d656d2d58534348;  // marks our names; the driver's begin otherwise (safety)

    uint64_t magic;
    uint64_t place;        // of the process that has the memory: its socket
    uint64_t number;       // of the allocation in that process
    uint64_t bytes;        // in whole granules
    uint64_t asked_bytes;  // by that program
    int32_t pid;           // for people
    uint32_t unused[5];
};
static_assert(sizeof(SharedName) == sizeof(IpcName));

// The other process's request, and the answer, which comes with the piece's descriptor.
struct PieceRequest {
    uint64_t place;
    uint64_t number;
    uint64_t piece;
};
struct PieceAnswer {
    Result code;
};
// How long a process waits for the other one's packet, in ms. Both send at once (safety).
inline constexpr int kPacketPatienceMs = 5000;

// Fills in the abstract address of a place. It has no file, and ends with its process. Returns its length.
inline socklen_t address_of_place(uint64_t place, sockaddr_un* address) {
    *address = {};
    address->sun_family = AF_UNIX;
    const int length = std::snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "xsched-memory-%llx",
                                     static_cast<unsigned long long>(place));
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<size_t>(length));
}

// Returns whether the process at the other end belongs to this user.
inline bool is_of_same_user(int socket) {
    ucred peer{};
    socklen_t bytes = sizeof peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.uid == geteuid();
}

}  // namespace xsched::stream::memory
