// Packets on fresh connections, both ways: what the server makes of a Hello, and what a program makes of the answer of
// whatever listens at the server's place.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "base/unique_fd.h"
#include "fuzz/bytes.h"
#include "fuzz/target.h"
#include "ipc/protocol.h"
#include "ipc/region.h"
#include "server/clients/handshake.h"
#include "server/clients/incoming.h"

namespace xsched::fuzz::handshake_target {
namespace {

struct Pair {
    Pair() {
        int ends[2];
        demand(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0, "there are sockets");
        ours.reset(ends[0]);
        theirs.reset(ends[1]);
    }
    base::UniqueFd ours;
    base::UniqueFd theirs;
};

void judge(std::string_view packet, uid_t uid) {
    const server::Peer peer{.pid = 100, .uid = uid, .trusted = false};
    for (const auto scope : {ipc::SocketScope::kSystem, ipc::SocketScope::kUser}) {
        const server::Handshake judged = server::judge_hello(packet.data(), packet.size(), peer, scope);
        for (const char letter : judged.program) demand(letter >= ' ' && letter <= '~', "names are printable");
        demand(*ipc::welcome_sentence(judged.status) != '\0', "each status has a sentence");
        if (judged.status != ipc::WelcomeStatus::kAccepted) continue;
        demand(packet.size() == sizeof(ipc::Hello), "an accepted Hello is whole");
        demand(scope == ipc::SocketScope::kSystem || uid == 0 || uid == geteuid(), "others' programs stay outside");
    }
}

void receive(std::string_view packet, bool with_descriptor) {
    const Pair pair;
    const base::UniqueFd file(with_descriptor ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1);
    if (!ipc::send_packet(pair.theirs.get(), packet.data(), packet.size(), file.get())) return;
    const server::Incoming seen = server::look_at_incoming(pair.ours.get());
    const server::Incoming wanted = with_descriptor  ? server::Incoming::kDescriptors
                                    : packet.empty() ? server::Incoming::kEnd
                                                     : server::Incoming::kPlain;
    demand(seen == wanted, "a look says what has come");
    char room[256];
    int fd = -1;
    const long got = ipc::receive_packet(pair.ours.get(), room, sizeof(room), &fd, 0);
    const base::UniqueFd came(fd);
    demand(got == (packet.size() > sizeof(room) ? -1 : static_cast<long>(packet.size())), "packets come whole");
    demand(static_cast<bool>(came) == (with_descriptor && got >= 0), "and so does their descriptor");
}

// Connects as a program does, to a server that answers with any bytes, with or without the descriptor of a file.
void answer(std::string_view packet, bool with_file) {
    const Pair pair;
    base::UniqueFd file(with_file ? memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING) : -1);
    if (file && (ftruncate(file.get(), sizeof(ipc::Region)) != 0 || fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0))
        return;
    if (!ipc::send_packet(pair.theirs.get(), packet.data(), packet.size(), file.get())) return;
    ipc::Welcome welcome{};
    int fd = -1;
    if (!ipc::shake_hands(pair.ours.get(), ipc::PeerKind::kClient, "fuzz", &welcome, &fd, 1)) {
        demand(fd == -1, "what fails leaves no descriptor");
        return;
    }
    const base::UniqueFd region(fd);
    if (region) ipc::unmap_region(ipc::map_region(region.get(), welcome.region_bytes));
}

}  // namespace

XSCHED_FUZZ(handshake) {
    Bytes bytes(input);
    const uint8_t how = bytes.number<uint8_t>();
    const std::string_view packet = bytes.rest();
    judge(packet, (how & 4) != 0 ? 1000 : geteuid());
    if ((how & 1) != 0) receive(packet, (how & 2) != 0);
    if ((how & 8) != 0) answer(packet, (how & 2) != 0);
}

}  // namespace xsched::fuzz::handshake_target
