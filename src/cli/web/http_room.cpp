#include "cli/web/http_room.h"

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

// One end of a TCP connection, of either address family.
union End {
    sockaddr any;
    sockaddr_in four;
    sockaddr_in6 six;
};

void tell(const End& end, uint16_t& port, uint32_t (&address)[4]) {
    const bool is_six = end.any.sa_family == AF_INET6;
    port = is_six ? end.six.sin6_port : end.four.sin_port;
    if (is_six)
        memcpy(address, &end.six.sin6_addr, sizeof(address));
    else
        address[0] = end.four.sin_addr.s_addr;
}

// Returns the user of the socket that is connected from `peer` to `here`, by one question to the kernel.
uint64_t owner_of(const End& peer, const End& here) {
    const base::UniqueFd diag(socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    DiagRequest asked{};
    asked.header.nlmsg_len = sizeof(asked);
    asked.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    asked.header.nlmsg_flags = NLM_F_REQUEST;
    asked.request.sdiag_family = static_cast<uint8_t>(here.any.sa_family);
    asked.request.sdiag_protocol = IPPROTO_TCP;
    asked.request.idiag_states = UINT32_MAX;
    inet_diag_sockid& id = asked.request.id;
    tell(peer, id.idiag_sport, id.idiag_src);
    tell(here, id.idiag_dport, id.idiag_dst);
    id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
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
    uint64_t most = peer;  // and of peers that have as many
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
    sockaddr_storage bound{};
    End here{};
    End peer{};
    socklen_t size = sizeof(bound);
    if (getsockname(connection, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return kPeerUnknown;
    if (bound.ss_family == AF_UNIX) {
        ucred known{};
        size = sizeof(known);
        const bool told = getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &known, &size) == 0;
        return told ? known.uid : kPeerUnknown;
    }
    size = sizeof(peer);
    memcpy(&here, &bound, sizeof(here));
    const bool told = getpeername(connection, &peer.any, &size) == 0;
    const bool is_tcp = here.any.sa_family == AF_INET || here.any.sa_family == AF_INET6;
    return told && is_tcp ? owner_of(peer, here) : kPeerUnknown;
}

}  // namespace xsched::cli
