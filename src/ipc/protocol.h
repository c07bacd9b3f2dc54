// The messages on xserver's Unix seqpacket socket: one Hello from the client, one Welcome back.
// A client gets the descriptor of its Region with the Welcome, maps it, and says so (Mapped): then the server seals the
// file and serves the client. A client that does not say so in time is let go. After that it sends Handovers alone, and
// the server nothing: the open socket is its lifeline (end of file on either side means the other is gone). A tool goes
// on with JSON requests, one per packet; an answer longer than kMostPacketBytes comes as {"ok":true,"bytes":N} with a
// memfd that holds the N bytes. An answer with "next" is one page of several: the same request with "cursor" set to it
// gets the following. Descriptors come with Handovers alone; a peer that sends one with another message is
// disconnected. Any thread may call any function.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/packets.h"
#include "ipc/layout.h"

namespace xsched::ipc {

enum class PeerKind : uint32_t { kClient = 1, kTool = 2 };

// Why the server refuses a connection; sentences in protocol.cpp.
enum class WelcomeStatus : uint32_t {
    kAccepted = 0,
    kWrongVersion = 1,
    kWrongUser = 2,
    kFull = 3,
    kBadHello = 4,
    kNoMemory = 5,
    kUserFull = 6,
    kNever = 7,
};

struct Hello {
    uint32_t magic;
    uint32_t version;
    uint32_t bytes;  // sizeof(Hello) at the sender
    PeerKind kind;
    char program[64];  // for people; NUL-terminated
    int32_t pid;  // the sender's number in its own pid namespace, which may differ from the server's
};

struct Welcome {
    uint32_t magic;
    uint32_t version;
    uint32_t bytes;
    WelcomeStatus status;
    uint32_t client_id;
    int32_t server_pid;
    uint64_t region_bytes;  // size of the descriptor's file
};

// The client has mapped its Region: it needs the descriptor no more.
struct Mapped {
    uint32_t magic;
    uint32_t version;
    uint32_t bytes;  // sizeof(Mapped)
    uint32_t client_id;  // as in the Welcome
};

// The data with which the server takes a client's work off a device, and puts it back, while the client does not
// answer. It comes with a descriptor (but for bytes = 0: the one of that key is withdrawn). The meaning of the bytes is
// the platform's own.
struct Handover {
    static constexpr uint32_t kMostBytes = 16384;

    uint32_t magic;
    uint32_t version;
    uint32_t platform;  // XPlatform
    uint32_t bytes;  // of `data`
    uint64_t device;  // XDevice
    uint64_t key;  // the handover's name among those of this client
    alignas(8) unsigned char data[kMostBytes];
};

inline constexpr uint32_t kMostPacketBytes = 1 << 16;
inline constexpr uint32_t kMostAnswerBytes = 1 << 26;  // limit of an answer that is sent as a memfd; the memfd is empty
                                                       // if the answer took over 2 s

// Returns a sentence for the log that says why the server refused the connection, and what to do.
const char* welcome_sentence(WelcomeStatus status);
// Returns such a sentence for a whole Welcome. If the protocol versions differ, the sentence names both; it is then in
// `text`.
inline constexpr size_t kRefusalBytes = 200;  // the longest has 156, with numbers of ten digits
const char* refusal_sentence(const Welcome& welcome, char (&text)[kRefusalBytes]);

// Where xserver listens. Fills `path` (sizeof(sockaddr_un.sun_path) bytes); false: no usable place (no runtime
// directory), with one WARN line written.
enum class SocketScope { kSystem, kUser };
inline constexpr unsigned kSocketPathBytes = 108;
const char* system_socket_path();  // /run/xsched/xserver.sock
bool user_socket_path(char* path, bool create);  // $XSCHED_SOCKET, else the first of user_socket_places

// Where a server of this user may be, in the order in which programs look: $XDG_RUNTIME_DIR/xsched,
// /run/user/UID/xsched (as far as these directories are there and ours), /tmp/xsched-UID. The last is the same in every
// environment: a shell, ssh, cron, a service; a server at one of the others can be found there as well
// (server/announcement.h). Returns how many.
inline constexpr unsigned kMostPlaces = 3;
unsigned user_socket_places(char (*paths)[kSocketPathBytes]);
// Makes sure that a socket's directory exists, is ours, and is closed to others. Returns whether it is; otherwise
// writes one WARN line if `warn`.
bool make_socket_directory(const char* socket_path, bool warn);

// Connects to the server that XSCHED_SOCKET names; without it, to the system's server, or to the user's at one of its
// places. Checks that the other side is this user or root. Returns -1 if no server answers. `path`: receives the
// server's place, or the place where a server of this user would be; errno then says why it did not connect. Refused
// permission and foreign owners give one WARN line, if `warn`.
int connect_server(char* path, bool warn = true);

// Connects to this one socket and logs nothing. Otherwise returns -1 and errno: ENOENT or ECONNREFUSED (no server),
// EACCES (no permission), EPERM (another user's server), EAGAIN (it does not accept), ENAMETOOLONG.
int connect_path(const char* path);

// Does the client's (or tool's) half of the handshake on a fresh connection. Returns true if `welcome` is complete and
// its status can be looked at; `region_fd` (not null for clients) then is the descriptor that came along, or -1.
bool shake_hands(int socket, PeerKind kind, const char* program, Welcome* welcome, int* region_fd, int timeout_ms);

// Sends the client's last part of the handshake, after it has mapped its Region. Returns whether it was sent.
bool say_mapped(int socket, const Welcome& welcome);

using base::receive_packet;
using base::send_packet;

}  // namespace xsched::ipc
