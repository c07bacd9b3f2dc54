// Judges the first packet of a new connection, and sends the refusal if it is not acceptable. Front thread.
#pragma once

#include <string>

#include "ipc/protocol.h"
#include "server/clients/peer.h"

namespace xsched::server {

// The facts about a peer after its first packet.
struct Handshake {
    ipc::WelcomeStatus status = ipc::WelcomeStatus::kBadHello;
    uint32_t version = 0;  // of the peer's protocol
    ipc::PeerKind kind = ipc::PeerKind::kClient;
    std::string program;  // printable
    int32_t pid = 0;      // the peer's own word for its pid
};

// Judges `packet`, the first of a connection from `peer`, for a server of scope `scope`.
Handshake judge_hello(const void* packet, size_t bytes, const Peer& peer, ipc::SocketScope scope);

// Tells a tool that it is let in.
bool send_welcome(int socket, uint32_t id);
// Tells the peer why it is not let in; a peer that does not read misses it.
void send_refusal(int socket, ipc::WelcomeStatus status);

}  // namespace xsched::server
