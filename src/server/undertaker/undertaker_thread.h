// The disposable thread of the undertaker, and what goes over the socket between the two.
//
// At first kApart, if the thread has a table of its own: then the front closes its copy of the thread's end. Front to
// thread: an Order with the descriptors (copies of the front's), then, when the front has closed its own, one
// byte: from then on the thread's are the last. Back: a Reply for each order that received, sealed or mapped
// something, with the chosen descriptor, or could not unmap, and one with kDone at the end of each order.
#pragma once

#include <cstdint>

#include "ipc/region.h"

namespace xsched::server {

struct BurialOrder {
    enum class Kind : uint32_t { kBury, kReceive, kMap, kSeal, kEmpty, kUnmap };
    Kind kind;
    uint32_t token;  // of kMap: the client's number
    ipc::Region* region;  // to be unmapped
};

struct BurialReply {
    enum class Kind : uint32_t { kApart, kReceived, kMapped, kSealed, kKept, kDone };
    Kind kind;
    uint32_t token;
    int64_t bytes;  // of the packet that follows it; of kSealed: 0, or what stood in the way (errno)
    ipc::Region* region;  // of kMapped; null: there was no room for it
};

inline constexpr unsigned kMostBurials = 64;  // in one order
inline constexpr unsigned kMostInPacket = 253;  // descriptors, by the kernel's limit
inline constexpr unsigned kMostParcelBytes = 32768;

// Starts a thread that owns the other end of a new socket, and returns ours; -1: the system has none. `theirs` receives
// the other end as our table has it.
int start_undertaker_thread(bool (*wanted)(int fd), int* theirs);

// Sends with up to kMostBurials descriptors, and receives with room for kMostInPacket; negative: as sendmsg and
// recvmsg.
long send_with(int socket, const void* data, unsigned bytes, const int* fds, unsigned count);
long receive_with(int socket, void* data, unsigned bytes, int* fds, unsigned* count, int flags);

}  // namespace xsched::server
