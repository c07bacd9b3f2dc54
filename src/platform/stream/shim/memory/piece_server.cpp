#include "platform/stream/shim/memory/piece_server.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/no_copies.h"
#include "base/packets.h"
#include "base/thread.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "platform/stream/hal/driver_use.h"
#include "platform/stream/shim/memory/program_memory.h"
#include "platform/stream/shim/memory/shared_name.h"

namespace xsched::stream::memory {
namespace {

constexpr int kMostWaiting = 64;                        // connections; a program has some peers (safety)
constexpr int kMostPlaces = 16;                         // that are tried: another process may have the same (safety)
constexpr int64_t kRestNs = 100 * base::kMillisecond;  // if no descriptor is free for a connection (safety)

constinit base::Mutex g_start_mutex;  // guards the next two
constinit int g_listener = -1;
constinit ino_t g_listener_file = 0;
constinit std::atomic<uint64_t> g_place{0};  // 0: the thread does not run
constinit std::atomic<int> g_peer{-1};       // the descriptors that the thread has open besides; -1: none
constinit std::atomic<int> g_piece{-1};

// Holds a descriptor of the thread's, which a forked child closes: the child would keep the memory or the connection.
class OpenForNow : base::NoCopies {
public:
    OpenForNow(std::atomic<int>& known, int descriptor) : known_(known), descriptor_(descriptor) {
        known_.store(descriptor);
    }
    ~OpenForNow() { known_.store(-1); }
    int get() const { return descriptor_.get(); }

private:
    std::atomic<int>& known_;
    const base::UniqueFd descriptor_;
};

// Returns whether the descriptor is still our listening socket: a program may close all descriptors, and the number may
// then be another file's.
bool is_still_ours(int listener) {
    struct stat now{};
    return fstat(listener, &now) == 0 && S_ISSOCK(now.st_mode) && now.st_ino == g_listener_file;
}

Result export_piece(const PieceRequest& request, int* descriptor) {
    const Moving moving;  // frees wait
    const PieceRange* const range = range_of_number(request.number);
    if (range == nullptr || request.piece >= range->count || !is_on_card(*range)) return kInvalidHandle;
    InContext inside;
    if (!inside.enter(*hal_api(), range->context)) return kInvalidContext;
    const RelaxedCapture relaxed(*hal_api());
    return vendor_call<kMemExportToShareableHandle>(descriptor, range->pieces[request.piece].handle, kFileDescriptor,
                                                    0);
}

void serve(int peer) {
    PieceRequest request{};
    const long got = base::receive_packet(peer, &request, sizeof request, nullptr, kPacketPatienceMs);
    if (got != static_cast<long>(sizeof request) || request.place != g_place.load() || !is_of_same_user(peer)) return;
    int descriptor = -1;
    const PieceAnswer answer{export_piece(request, &descriptor)};
    const OpenForNow piece(g_piece, answer.code == kSuccess ? descriptor : -1);
    if (piece.get() >= 0) fcntl(piece.get(), F_SETFD, FD_CLOEXEC);
    base::send_packet(peer, &answer, sizeof answer, piece.get());
}

void* serve_all(void* listener_number) {
    const int listener = static_cast<int>(reinterpret_cast<intptr_t>(listener_number));
    while (is_still_ours(listener)) {
        const OpenForNow peer(g_peer, accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
        if (peer.get() >= 0)
            serve(peer.get());
        else if (errno != EINTR)
            base::sleep_ns(kRestNs);
    }
    return nullptr;
}

// Returns a listening socket at a place that no other process has; -1: there is none.
int listen_somewhere(uint64_t* place) {
    base::UniqueFd listener(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    *place = static_cast<uint64_t>(base::now_ns());
    sockaddr_un address{};
    for (int i = 0; listener && i < kMostPlaces; ++i, ++*place) {
        const socklen_t length = address_of_place(*place, &address);
        if (bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0)
            return listen(listener.get(), kMostWaiting) == 0 ? listener.release() : -1;
        if (errno != EADDRINUSE) return -1;
    }
    return -1;
}

}  // namespace

uint64_t begin_serving_pieces() {
    base::Lock lock(g_start_mutex);
    if (g_place.load() != 0) return g_place.load();
    uint64_t place = 0;
    base::UniqueFd listener(listen_somewhere(&place));
    struct stat file{};
    if (!listener || fstat(listener.get(), &file) != 0) return 0;
    g_listener_file = file.st_ino;
    g_place.store(place);
    base::Thread thread;
    if (!thread.start("xsched-errands", serve_all, reinterpret_cast<void*>(intptr_t{listener.get()}))) {
        g_place.store(0);
        return 0;
    }
    thread.detach();
    g_listener = listener.release();
    return place;
}

uint64_t place_of_pieces() { return g_place.load(std::memory_order_relaxed); }

void forget_piece_server() {
    if (g_place.exchange(0) == 0) return;
    if (g_listener >= 0 && is_still_ours(g_listener)) close(g_listener);
    g_listener = -1;
    for (std::atomic<int>* open : {&g_peer, &g_piece})
        if (const int descriptor = open->exchange(-1); descriptor >= 0) close(descriptor);
}

}  // namespace xsched::stream::memory
