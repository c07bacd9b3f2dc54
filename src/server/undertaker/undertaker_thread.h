// The undertaker's disposable thread, and the messages between it and the front.
//
// The thread first sends kApart if it has its own descriptor table: then the front closes its copy of the thread's end.
// The front sends an Order with copies of the descriptors. When the front has closed its own, it sends one byte: the
// thread's copies are then the last. The thread sends a Reply for each order that received, sealed or mapped something,
// with the chosen descriptor, or that could not unmap. It sends kDone at the end of each order.
#pragma once

#include <cstdint>

#include "ipc/region.h"

namespace xsched::server {

struct BurialOrder {
    enum class Kind : uint32_t { kBury, kReceive, kMap, kSeal, kEmpty, kUnmap };
    Kind kind;
    uint32_t token;  // for kMap: the client's number
    ipc::Region* region;  // to be unmapped
    int32_t pid;  // for kMap: the process whose facts are wanted as well (rules/process_facts.h); 0: none
};

struct BurialReply {
    enum class Kind : uint32_t { kApart, kReceived, kMapped, kSealed, kKept, kDone };
    Kind kind;
    uint32_t token;
    int64_t bytes;  // bytes of the packet or facts that follow; for kSealed: 0 or errno
    ipc::Region* region;  // for kMapped; null: there was no room for it
};

inline constexpr unsigned kMostBurials = 64;  // in one order
inline constexpr unsigned kMostInPacket = 253;  // most descriptors in a packet, which is the kernel's limit
inline constexpr unsigned kMostParcelBytes = 32768;

// Starts a thread and returns our end of the socket to it; -1: the system has no thread. `theirs`: receives the other
// end, as our table has it.
int start_undertaker_thread(bool (*wanted)(int fd), int* theirs);

// Sends with up to kMostBurials descriptors; receives with room for kMostInPacket. Both return a negative error as
// sendmsg and recvmsg do.
long send_with(int socket, const void* data, unsigned bytes, const int* fds, unsigned count);
long receive_with(int socket, void* data, unsigned bytes, int* fds, unsigned* count, int flags);

}  // namespace xsched::server
