#include "ipc/protocol.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace xsched::ipc {

const char* welcome_sentence(WelcomeStatus status) {
    switch (status) {
        case WelcomeStatus::kAccepted: return "accepted";
        case WelcomeStatus::kWrongVersion:
            return "xserver speaks another version of the protocol: install the same version of both and restart it";
        case WelcomeStatus::kWrongUser:
            return "xserver belongs to another user and takes only that user's programs: start your own, or a system "
                   "server (xserver --system)";
        case WelcomeStatus::kFull:
            return "xserver serves as many processes as it can: end some of them, or start another server and name it "
                   "in XSCHED_SOCKET";
        case WelcomeStatus::kBadHello:
            return "xserver did not understand the handshake: is XSCHED_SOCKET the socket of an xserver of this "
                   "version?";
        case WelcomeStatus::kNoMemory:
            return "xserver has no memory or descriptors left for another process: see its log";
        case WelcomeStatus::kUserFull:
            return "your programs and tools have as many connections to xserver as they may ('xcli status --limits'): "
                   "end "
                   "some of them, or let the administrator raise the limit ('xcli limit')";
        case WelcomeStatus::kNever:
            return "a rule of the configuration says that this program is never scheduled ('xcli rules')";
    }
    return "xserver answered with a status that this version does not know: install the same version of both";
}

const char* refusal_sentence(const Welcome& welcome, char (&text)[kRefusalBytes]) {
    if (welcome.status != WelcomeStatus::kWrongVersion || welcome.version == kVersion)
        return welcome_sentence(welcome.status);
    const bool older = welcome.version < kVersion;
    snprintf(text, sizeof(text), "xserver speaks protocol %u, which is %s than %u of this process: %s", welcome.version,
             older ? "older" : "newer", kVersion,
             older ? "update xserver and restart it"
                   : "update the XSched tools and libraries of this process and start it again");
    return text;
}

bool shake_hands(int socket, PeerKind kind, const char* program, Welcome* welcome, int* region_fd, int timeout_ms) {
    if (region_fd != nullptr) *region_fd = -1;
    Hello hello{kMagic, kVersion, sizeof(Hello), kind, {}, getpid()};
    strncpy(hello.program, program, sizeof(hello.program) - 1);
    if (!send_packet(socket, &hello, sizeof(hello))) return false;
    const long got = receive_packet(socket, welcome, sizeof(*welcome), region_fd, timeout_ms);
    if (got == static_cast<long>(sizeof(*welcome)) && welcome->magic == kMagic) return true;
    if (region_fd != nullptr && *region_fd >= 0) close(*region_fd);
    if (region_fd != nullptr) *region_fd = -1;
    if (got >= 0) errno = got == 0 ? ECONNRESET : EPROTO;
    return false;
}

bool say_mapped(int socket, const Welcome& welcome) {
    const Mapped mapped{kMagic, kVersion, sizeof(Mapped), welcome.client_id};
    return send_packet(socket, &mapped, sizeof(mapped));
}

}  // namespace xsched::ipc
