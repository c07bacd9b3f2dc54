// Attacks by connections, packets and descriptors that no honest program makes or sends.
#include <linux/io_uring.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include "server/attack_parts.h"

namespace xsched::test {
namespace {

constexpr useconds_t kBriefUs = 20'000;  // a process of an attacker's that comes and goes

void say_hello(int connection, ipc::PeerKind kind) {
    const ipc::Hello hello = hello_of(kind);
    ipc::send_packet(connection, &hello, sizeof(hello));
}

// A client with urgent work that never gets done.
bool make_urgent(TestClient& client, uint64_t handle) {
    if (!client.connected()) return false;
    client.add_queue(0, 127, handle);
    client.submit(0);
    return true;
}

// Unix sockets sent into their own queues: such cycles are freed only by the kernel's garbage collector, which has to
// look at all descriptors in flight.
XSCHED_ATTACK(kConnecting, cycles, 1,
              "sockets that lie in their own queues, and connections handed over by themselves") {
    raise_descriptors();
    base::UniqueFd client;
    without_end(ready, [&](unsigned i) {
        int ends[2] = {-1, -1};
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return void(usleep(1000));
        const base::UniqueFd one(ends[0]);
        const base::UniqueFd other(ends[1]);
        for (int j = 0; j < 4; ++j) send_descriptors(one.get(), "x", 1, {one.get(), other.get()});
        if (i % 64 != 0) return;
        client = raw_client(path);  // its connection is on its way to the server by itself
        if (client) send_descriptors(client.get(), handover_packet(), {client.get(), client.get()});
    });
}

int io_uring() {
    io_uring_params asked{};
    return static_cast<int>(syscall(SYS_io_uring_setup, 4, &asked));
}

int epoll_of_epoll() {
    const int outer = epoll_create1(EPOLL_CLOEXEC);
    const base::UniqueFd inner(epoll_create1(EPOLL_CLOEXEC));
    epoll_event event{};
    event.events = EPOLLIN;
    epoll_ctl(outer, EPOLL_CTL_ADD, inner.get(), &event);
    return outer;
}

// Returns the writing end of a full pipe without a reader.
int full_pipe() {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
    static std::deque<base::UniqueFd> unread;
    unread.emplace_back(ends[0]);
    if (unread.size() > 20) unread.pop_front();
    const std::string junk(1 << 16, 'x');
    while (write(ends[1], junk.data(), junk.size()) > 0) {
    }
    return ends[1];
}

int signals() {
    sigset_t set;
    sigemptyset(&set);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

// Hands over files of many other kinds where a descriptor of NVIDIA's driver is expected.
XSCHED_ATTACK(kConnecting, kinds_of_files, 2, "handovers with files of fourteen other kinds") {
    without_end(ready, [&](unsigned i) {
        const base::UniqueFd client = raw_client(path);
        if (!client) return void(usleep(1000));
        const auto made = [&]() -> int {
            switch (i % 14) {
                case 0: return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
                case 1: return open("/dev/zero", O_RDWR | O_CLOEXEC);
                case 2: return open("/dev/full", O_WRONLY | O_CLOEXEC);
                case 3: return epoll_of_epoll();
                case 4: return static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
                case 5: return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
                case 6: return open("/etc/passwd", O_PATH | O_CLOEXEC);
                case 7: return eventfd(1, EFD_CLOEXEC);
                case 8: return memfd_create("grows", MFD_CLOEXEC);
                case 9: return io_uring();
                case 10: return full_pipe();
                case 11: return signals();
                case 12: return inotify_init1(IN_CLOEXEC);
                default: return open("/proc/self/mem", O_RDWR | O_CLOEXEC);
            }
        };
        const base::UniqueFd file(made());
        if (file) send_descriptors(client.get(), handover_packet(), {file.get()});
        if (i % 14 == 8) ftruncate(file.get(), off_t{1} << 40);
        char end = 0;
        ipc::receive_packet(client.get(), &end, 1, nullptr, 20);
    });
}

// The process that connected ends; its child goes on with the connection and the memory.
XSCHED_ATTACK(kConnecting, orphans, 1, "clients whose child goes on after their end") {
    prctl(PR_SET_CHILD_SUBREAPER, 1UL);
    forget_children();
    without_end(ready, [&](unsigned i) {
        beside([&] {
            TestClient client(path, "parent");
            if (!make_urgent(client, 0x100 + i)) return;
            beside([&] {
                for (int turn = 0; turn < 20; ++turn, usleep(kBriefUs / 20)) {
                    client.submit(0);
                    client.complete(0);
                    client.submit(0);
                }
            });
        });
        usleep(kBriefUs);
    });
}

// Four processes speak over one connection, and write into one memory.
XSCHED_ATTACK(kConnecting, family, 1, "four processes that speak over one connection") {
    forget_children();
    without_end(ready, [&](unsigned i) {
        TestClient client(path, "family");
        if (!make_urgent(client, 0x200 + i)) return void(usleep(1000));
        ipc::Handover none{};  // withdraws what was never handed over
        none.magic = ipc::kMagic;
        none.version = ipc::kVersion;
        none.platform = kPlatformCUDA;
        const auto speak = [&] {
            for (int turn = 0; turn < 200; ++turn) {
                none.key = static_cast<uint64_t>(turn);
                ipc::send_packet(client.socket(), &none, offsetof(ipc::Handover, data));
                client.submit(0);
                client.complete(0);
            }
        };
        for (int child = 0; child < 3; ++child) beside(speak);
        speak();
        usleep(kBriefUs);
    });
}

// A client becomes another program, which keeps the connection and knows nothing of it.
XSCHED_ATTACK(kConnecting, other_programs, 1, "clients that become other programs") {
    forget_children();
    without_end(ready, [&](unsigned i) {
        beside([&] {
            TestClient client(path, "before");
            if (!make_urgent(client, 0x300 + i)) return;
            fcntl(client.socket(), F_SETFD, 0);
            execl("/bin/sleep", "sleep", "0.05", nullptr);
        });
        usleep(kBriefUs);
    });
}

// A process dies in each step of the handshake.
XSCHED_ATTACK(kConnecting, dying_newcomers, 1, "processes that die in each step of the handshake") {
    forget_children();
    without_end(ready, [&](unsigned i) {
        beside([&] {
            base::UniqueFd connection(ipc::connect_path(path.c_str()));
            const unsigned step = i % 7;
            if (step >= 1) say_hello(connection.get(), ipc::PeerKind::kClient);
            ipc::Welcome welcome{};
            int fd = -1;
            if (step >= 2) ipc::receive_packet(connection.get(), &welcome, sizeof(welcome), &fd, 1000);
            ipc::Region* const region = step >= 3 ? ipc::map_region(fd, welcome.region_bytes) : nullptr;
            if (step >= 4 && region != nullptr) ipc::say_mapped(connection.get(), welcome);
            if (step >= 5 && region != nullptr) eventually([&] { return region->header.served.load() != 0; }, 1000);
            if (step >= 6 && region != nullptr) make_slot(*region, 0, i, TestClient::kFirstDevice, 100, 1000);
            kill(getpid(), SIGKILL);
        });
        usleep(2000);
    });
}

// Connections of which the attacker closes one direction after it has asked for something.
XSCHED_ATTACK(kConnecting, half_closed, 1, "connections of which one direction is closed") {
    const std::string request = R"({"cmd":"status"})";
    unsigned i = 0;
    pile_up(ready, [&] {
        base::UniqueFd connection = i % 3 == 0 ? raw_tool(path) : i % 3 == 1 ? raw_client(path) : base::UniqueFd();
        if (!connection) {
            connection.reset(ipc::connect_path(path.c_str()));
            say_hello(connection.get(), ++i % 2 == 0 ? ipc::PeerKind::kTool : ipc::PeerKind::kClient);
        } else {
            ipc::send_packet(connection.get(), request.data(), request.size());
        }
        shutdown(connection.get(), i++ % 4 < 2 ? SHUT_WR : SHUT_RD);
        return connection;
    });
}

// Clients that say hello and take neither the answer nor the memory that comes with it.
XSCHED_ATTACK(kConnecting, unread_welcomes, 1, "clients that do not take their memory") {
    pile_up(ready, [&] {
        base::UniqueFd connection(ipc::connect_path(path.c_str()));
        say_hello(connection.get(), ipc::PeerKind::kClient);
        usleep(200);
        return connection;
    });
}

// Good packets where they do not belong.
XSCHED_ATTACK(kConnecting, out_of_order, 2, "good packets where they do not belong") {
    const std::string request = R"({"cmd":"list"})";
    const std::string handover = handover_packet();
    without_end(ready, [&](unsigned i) {
        base::UniqueFd connection;
        const auto is_in = [&] { return static_cast<bool>(connection); };
        if (i % 7 < 3) connection.reset(ipc::connect_path(path.c_str()));
        if (i % 7 == 3 || i % 7 == 4) connection = raw_client(path);
        if (i % 7 > 4) connection = raw_tool(path);
        if (!is_in()) return void(usleep(1000));
        const ipc::Mapped mapped{ipc::kMagic, ipc::kVersion, sizeof(ipc::Mapped), i};
        switch (i % 7) {
            case 0: ipc::send_packet(connection.get(), &mapped, sizeof(mapped)); break;
            case 1: ipc::send_packet(connection.get(), handover.data(), handover.size(), STDERR_FILENO); break;
            case 2: ipc::send_packet(connection.get(), request.data(), request.size()); break;
            case 3: ipc::send_packet(connection.get(), request.data(), request.size()); break;
            case 4: say_hello(connection.get(), ipc::PeerKind::kClient); break;
            case 5: ipc::send_packet(connection.get(), handover.data(), handover.size(), STDERR_FILENO); break;
            default: say_hello(connection.get(), ipc::PeerKind::kClient); break;
        }
        if (i % 2 == 0) ipc::send_packet(connection.get(), "", 0);
    });
}

// A client withdraws handovers that it never made, of all platforms and devices, without a pause.
XSCHED_ATTACK(kConnecting, withdrawals, 1, "channels withdrawn that were never handed over") {
    base::UniqueFd client;
    Random random(1);
    without_end(ready, [&](unsigned i) {
        if (!client) client = raw_client(path);
        if (!client) return void(usleep(1000));
        ipc::Handover none{};
        none.magic = ipc::kMagic;
        none.version = ipc::kVersion;
        none.platform = i / 1024 % 2 == 0 ? static_cast<uint32_t>(kPlatformCUDA) : random() % 16;
        none.device = word(random);
        none.key = word(random);
        if (ipc::send_packet(client.get(), &none, offsetof(ipc::Handover, data))) return;
        if (errno == EAGAIN)
            usleep(100);
        else
            client.reset();
    });
}

}  // namespace

}  // namespace xsched::test
