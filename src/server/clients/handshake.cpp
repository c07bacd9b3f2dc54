#include "server/clients/handshake.h"

#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "base/printable.h"
#include "ipc/user_namespace.h"

namespace xsched::server {
namespace {

bool may_enter(const Peer& peer, ipc::SocketScope scope) {
    return scope == ipc::SocketScope::kSystem || peer.guest || ipc::is_own_uid(peer.told_uid) || peer.told_uid == 0;
}

}  // namespace

Handshake judge_hello(const void* packet, size_t bytes, const Peer& peer, ipc::SocketScope scope) {
    Handshake handshake;
    ipc::Hello hello{};
    // The Hello of every version starts with these three fields.
    if (bytes < offsetof(ipc::Hello, kind)) return handshake;
    memcpy(&hello, packet, bytes < sizeof(hello) ? bytes : sizeof(hello));
    if (hello.magic != ipc::kMagic) return handshake;
    handshake.status = ipc::WelcomeStatus::kWrongVersion;
    handshake.version = hello.version;
    if (hello.version != ipc::kVersion) return handshake;
    handshake.status = ipc::WelcomeStatus::kBadHello;
    if (bytes != sizeof(hello) || hello.bytes != sizeof(hello)) return handshake;
    if (hello.kind != ipc::PeerKind::kClient && hello.kind != ipc::PeerKind::kTool) return handshake;
    handshake.kind = hello.kind;
    handshake.program = base::printable({hello.program, strnlen(hello.program, sizeof(hello.program))});
    handshake.pid = hello.pid;
    handshake.status = may_enter(peer, scope) ? ipc::WelcomeStatus::kAccepted : ipc::WelcomeStatus::kWrongUser;
    return handshake;
}

bool send_welcome(int socket, uint32_t id) {
    const ipc::Welcome welcome{
        ipc::kMagic, ipc::kVersion, sizeof(ipc::Welcome), ipc::WelcomeStatus::kAccepted, id, getpid(), 0};
    return ipc::send_packet(socket, &welcome, sizeof(welcome));
}

void send_refusal(int socket, ipc::WelcomeStatus status) {
    const ipc::Welcome welcome{ipc::kMagic, ipc::kVersion, sizeof(ipc::Welcome), status, 0, getpid(), 0};
    ipc::send_packet(socket, &welcome, sizeof(welcome));
}

}  // namespace xsched::server
