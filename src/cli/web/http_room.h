// Chooses the connection that makes room when a door for HTTP is full (http_door.h): one of the client that has the
// most, and preferably one without a request. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace xsched::cli {

enum class HttpUse : uint8_t { kSilent, kAsks, kStreams };

struct HttpSeat {
    uint64_t peer = 0;  // as peer_of says
    HttpUse use{};
};

// Returns the seat to give to a newcomer of `peer`; seats.size(): none, so the newcomer is refused. A connection with a
// request loses its seat only if its peer has more seats than any other, including the newcomer's.
size_t seat_to_give(std::span<const HttpSeat> seats, uint64_t peer);

inline constexpr uint64_t kPeerUnknown = UINT64_MAX;
// Returns the uid at the other end of a connected Unix socket, or of a TCP connection within this machine; otherwise
// kPeerUnknown.
uint64_t peer_of(int socket);

}  // namespace xsched::cli
