#include "cli/http_room.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/unique_fd.h"

namespace xsched::cli {
namespace {

struct DiagRequest {
    nlmsghdr header;
    inet_diag_req_v2 request;
};

// The kernel says whose the socket is that is connected from `peer` to `here`: one look-up, however many there are.
uint64_t owner_of(const sockaddr_in& peer, const sockaddr_in& here) {
    const base::UniqueFd diag(socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    DiagRequest asked{};
    asked.header.nlmsg_len = sizeof(asked);
    asked.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    asked.header.nlmsg_flags = NLM_F_REQUEST;
    asked.request.sdiag_family = AF_INET;
    asked.request.sdiag_protocol = IPPROTO_TCP;
    asked.request.idiag_states = UINT32_MAX;
    asked.request.id.idiag_sport = peer.sin_port;
    asked.request.id.idiag_dport = here.sin_port;
    asked.request.id.idiag_src[0] = peer.sin_addr.s_addr;
    asked.request.id.idiag_dst[0] = here.sin_addr.s_addr;
    asked.request.id.idiag_cookie[0] = asked.request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    if (!diag || send(diag.get(), &asked, sizeof(asked), 0) != static_cast<ssize_t>(sizeof(asked))) return kPeerUnknown;
    alignas(nlmsghdr) char answer[4096];
    const ssize_t bytes = recv(diag.get(), answer, sizeof(answer), MSG_DONTWAIT);
    nlmsghdr header{};
    inet_diag_msg found{};
    if (bytes < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof(found))) return kPeerUnknown;
    memcpy(&header, answer, sizeof(header));
    if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY) return kPeerUnknown;
    memcpy(&found, answer + NLMSG_HDRLEN, sizeof(found));
    return found.idiag_uid;
}

}  // namespace

size_t seat_to_give(std::span<const HttpSeat> seats, uint64_t peer) {
    std::map<uint64_t, size_t> held{{peer, 1}};
    for (const HttpSeat& seat : seats) ++held[seat.peer];
    uint64_t most = peer;  // and of those who have as many
    for (const auto& [who, count] : held)
        if (count > held[most]) most = who;
    const auto first = [&](HttpUse use) {
        const auto is = [&](const HttpSeat& seat) { return seat.peer == most && seat.use == use; };
        return static_cast<size_t>(std::find_if(seats.begin(), seats.end(), is) - seats.begin());
    };
    const size_t silent = first(HttpUse::kSilent);
    return silent != seats.size() || most == peer ? silent : first(HttpUse::kAsks);
}

uint64_t peer_of(int connection) {
    sockaddr_in here{};
    sockaddr_in peer{};
    socklen_t size = sizeof(here);
    if (getsockname(connection, reinterpret_cast<sockaddr*>(&here), &size) != 0) return kPeerUnknown;
    if (here.sin_family == AF_UNIX) {
        ucred known{};
        size = sizeof(known);
        const bool told = getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &known, &size) == 0;
        return told ? known.uid : kPeerUnknown;
    }
    size = sizeof(peer);
    const bool told = getpeername(connection, reinterpret_cast<sockaddr*>(&peer), &size) == 0;
    return told && here.sin_family == AF_INET ? owner_of(peer, here) : kPeerUnknown;
}

}  // namespace xsched::cli
