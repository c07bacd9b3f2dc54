// Parts of which attacks are made (attacks.h): connections by hand, tools that ask without end, processes beside the
// first. In an attacker's processes, each with one thread unless an attack makes more.
#pragma once

#include <sys/resource.h>

#include <deque>
#include <random>

#include "server/attacks.h"
#include "server/hostile.h"

namespace xsched::test {

using Random = std::minstd_rand;

inline constexpr size_t kKept = 200;  // connections of one attacker; the oldest goes for the next
inline constexpr uint64_t kOtherDevice = uint64_t{kDeviceTypeCPU} << 32 | 2;

[[noreturn]] inline void stay() {
    for (;;) pause();
}

inline uint64_t word(Random& random) {
    return uint64_t{random()} << 33 ^ uint64_t { random() } << 11 ^ random();
}

// Raises this process's limit of descriptors to the highest that the user may have.
inline void raise_descriptors() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

// A tool's connection after the handshake; none if it is refused.
inline base::UniqueFd raw_tool(const std::string& path) {
    base::UniqueFd socket(ipc::connect_path(path.c_str()));
    ipc::Welcome welcome{};
    const bool answered =
        socket && ipc::shake_hands(socket.get(), ipc::PeerKind::kTool, "x", &welcome, nullptr, kPatienceMs);
    return answered && welcome.status == ipc::WelcomeStatus::kAccepted ? std::move(socket) : base::UniqueFd();
}

inline bool send_descriptors(int socket, const std::string& packet, const std::vector<int>& fds) {
    return send_descriptors(socket, packet.data(), packet.size(), fds);
}

// A process beside this one, of the same group, that does `body` until it returns. Children of the attacker are never
// waited for: call forget_children() first.
inline void forget_children() { signal(SIGCHLD, SIG_IGN); }
template <typename Body>
pid_t beside(Body body) {
    const pid_t child = fork();
    if (child != 0) return child;
    body();
    _exit(0);
}

// Makes connections for ever and keeps some.
template <typename Make>
[[noreturn]] void pile_up(const Ready& ready, Make make) {
    std::deque<base::UniqueFd> kept;
    for (size_t i = 0;; ++i) {
        if (i == 10) ready();
        kept.push_back(make());
        if (kept.size() > kKept) kept.pop_front();
    }
}

// Does `step(i)` for ever, with i = 0, 1, 2, ...
template <typename Step>
[[noreturn]] void without_end(const Ready& ready, Step step) {
    for (unsigned i = 0;; ++i) {
        if (i == 10) ready();
        step(i);
    }
}

// A tool that sends a request and reads the answer. It connects again if the server has closed its connection.
class Asker {
public:
    explicit Asker(std::string path) : path_(std::move(path)) {}
    bool ask(const std::string& request) {
        if (!tool_) tool_ = raw_tool(path_);
        if (!tool_) {
            usleep(1000);
            return false;
        }
        const bool done = ipc::send_packet(tool_.get(), request.data(), request.size()) && take();
        if (!done) tool_.reset();
        return done;
    }
    bool ask(const Json& request) { return ask(request.dump()); }
    int socket() const { return tool_.get(); }

private:
    bool take() {
        static thread_local std::string room(ipc::kMostPacketBytes, '\0');
        int file = -1;
        const long bytes = ipc::receive_packet(tool_.get(), room.data(), room.size(), &file, kPatienceMs);
        const base::UniqueFd close_it(file);
        return bytes > 0;
    }
    std::string path_;
    base::UniqueFd tool_;
};

// Changes one slot each time.
using Flip = void (*)(ipc::QueueSlot& slot, Random& random);

// A client of 1,024 queues with work, on the devices that `device` gives. `flip` changes one slot after the other
// without end.
template <typename DeviceOf>
[[noreturn]] void flip_without_end(const std::string& path, const Ready& ready, Flip flip, DeviceOf device) {
    TestClient client(path, "flips");
    if (!client.connected()) _exit(1);
    for (unsigned at = 0; at < ipc::kMostQueues; ++at) {
        client.add_queue(at, static_cast<int32_t>(at % 4), 0x1000 + at, device(at));
        client.submit(at);
    }
    ready();
    Random random(1);
    for (unsigned at = 0;; at = (at + 1) % ipc::kMostQueues) {
        flip(client.slot(at), random);
        if (at % 16 == 0) ring_doorbell(client.header());
    }
}
template <Flip kFlip>
void flip_there(const std::string& path, const Ready& ready) {
    flip_without_end(path, ready, kFlip, [](unsigned) { return kOtherDevice; });
}
template <Flip kFlip>
void flip_here(const std::string& path, const Ready& ready) {
    flip_without_end(path, ready, kFlip, [](unsigned) { return TestClient::kFirstDevice; });
}
template <Flip kFlip>
void flip_everywhere(const std::string& path, const Ready& ready) {
    flip_without_end(path, ready, kFlip, [](unsigned at) { return kOtherDevice + at; });
}
// Defines an attack by one process that calls one of the three functions above.
#define XSCHED_FLIPS(kind, name, flips, does) \
    XSCHED_ATTACK(kind, name, 1, does) { flips(path, ready); }

inline std::vector<std::unique_ptr<TestClient>> crowd_of(const std::string& path, unsigned count) {
    std::vector<std::unique_ptr<TestClient>> crowd;
    for (unsigned i = 0; i < count; ++i) {
        crowd.push_back(std::make_unique<TestClient>(path, "crowd"));
        if (!crowd.back()->connected()) _exit(1);
    }
    return crowd;
}

// Makes a crowd of clients with `queues` queues with work each, of the priorities 0, 1, 2, ... and with handles from
// `first` on.
inline std::vector<std::unique_ptr<TestClient>> busy_crowd_of(const std::string& path, unsigned count, unsigned queues,
                                                              uint64_t first) {
    auto crowd = crowd_of(path, count);
    for (const auto& client : crowd)
        for (unsigned at = 0; at < queues; ++at) {
            client->add_queue(at, static_cast<int32_t>(at), first + at);
            client->submit(at);
        }
    return crowd;
}

// The first `queues` queues of each have an end and new work, one after the other, as fast as that is possible.
[[noreturn]] inline void never_rest(const std::vector<std::unique_ptr<TestClient>>& crowd, unsigned queues) {
    for (;;)
        for (const auto& client : crowd)
            for (unsigned at = 0; at < queues; ++at) {
                client->complete(at);
                client->submit(at);
            }
}

}  // namespace xsched::test
