// Chooses the connection that makes room when a door for HTTP is full (http_door.h): the client that holds most of it,
// and a client that has not asked yet before a request under way. Any thread.
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

// Which seat is given to a newcomer of `peer`; seats.size(): none, and the newcomer goes. A request under way goes only
// if its peer has more seats than any other, the newcomer's among them.
size_t seat_to_give(std::span<const HttpSeat> seats, uint64_t peer);

inline constexpr uint64_t kPeerUnknown = UINT64_MAX;
// The user at the other end of a connected Unix socket, or of a TCP connection within this machine: its uid, or
// kPeerUnknown.
uint64_t peer_of(int socket);

}  // namespace xsched::cli
