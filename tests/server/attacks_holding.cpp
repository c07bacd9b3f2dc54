// Attacks by the kernel's locks of what a server shares with its programs (file_attacks.h).
#include "server/attack_parts.h"
#include "server/file_attacks.h"

namespace xsched::test {
namespace {

// Holds the kernel's locks on the memory of a client that the server already serves.
XSCHED_ATTACK(kHolding, held_memory, 1, "a client that holds the locks of its memory") {
    static const SharedFlag g_on;
    static HalfClient client(path);
    *g_on = 1;
    if (!client.welcomed() || !client.say_mapped() || !client.becomes_served()) _exit(1);
    for (unsigned at = 0; at < ipc::kMostQueues; ++at)
        make_slot(*client.region, at, at + 1, kOtherDevice, 0, base::kMicrosecond);
    starve_file(*g_on, [] { return SharedFile{client.file.get(), sizeof(ipc::Region), client.region}; });
    ready();
    for (unsigned at = 0;; at = (at + 1) % ipc::kMostQueues) {
        client.region->slots[at].submitted.fetch_add(1);
        ring_doorbell(client.region->header);
        usleep(200);
    }
}

// The attackers hold the locks of memory that the server does not serve yet: one client never reports that it has
// mapped its memory, others connect and leave again.
XSCHED_ATTACK(kHolding, held_newcomers, 1, "clients that hold the locks of memory that is not served yet") {
    static const SharedFlag g_on;
    static HalfClient silent(path);
    *g_on = 1;
    if (!silent.welcomed()) _exit(1);
    if (fork() == 0)  // apart, since starved threads keep their own process waiting as well
        without_end(ready, [&](unsigned) {
            HalfClient next(path);
            if (next.welcomed()) next.say_mapped();
            usleep(10'000);
        });
    starve_file(*g_on, [] { return SharedFile{silent.file.get(), sizeof(ipc::Region), silent.region}; });
    stay();
}

// Holds the kernel's locks on the files with a tool's answers, while the tool asks again and again.
XSCHED_ATTACK(kHolding, held_answers, 1, "a tool that holds the locks of its answers") {
    static const SharedFlag g_on;
    *g_on = 1;
    TestClient client(path, "held");
    if (!client.connected()) _exit(1);
    for (unsigned at = 0; at < ipc::kMostQueues; ++at) client.add_queue(at, 0, at + 1);
    static std::atomic<int> file{-1};
    const base::UniqueFd tool = raw_tool(path);
    const std::string request = R"({"cmd":"list"})";
    std::string room(ipc::kMostPacketBytes, '\0');
    const auto ask = [&] {
        int fd = -1;
        ipc::send_packet(tool.get(), request.data(), request.size());
        ipc::receive_packet(tool.get(), room.data(), room.size(), &fd, kPatienceMs);
        if (fd >= 0) close(file.exchange(fd));
    };
    ask();
    starve_file(*g_on, [] { return SharedFile{file, 65536, nullptr}; });
    without_end(ready, [&](unsigned) {
        ask();
        usleep(20'000);
    });
}

// Holds memory whose client has gone, so that the server unmaps it: a process that maps, unmaps or moves a mapping of a
// file, or forks with it, takes the lock of all the file's mappings.
XSCHED_ATTACK(kHolding, held_partings, 1, "clients that hold the locks of memory that they leave") {
    static const SharedFlag g_on;
    static std::atomic<int> file{-1};
    *g_on = 1;
    const auto map_again = [] {
        const int now = file;
        void* const one = mmap(nullptr, sizeof(ipc::Region), PROT_READ, MAP_SHARED | MAP_POPULATE, now, 0);
        if (one == MAP_FAILED) return;
        void* const room =
            mmap(nullptr, sizeof(ipc::Region), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        void* const moved = mremap(one, sizeof(ipc::Region), sizeof(ipc::Region), MREMAP_MAYMOVE | MREMAP_FIXED, room);
        for (size_t at = 0; at < sizeof(ipc::Region); at += 8192)
            mprotect(static_cast<char*>(moved) + at, 4096, PROT_NONE);
        munmap(moved, sizeof(ipc::Region));
    };
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) _exit(1);
    if (fork() == 0) {  // apart, since starved threads keep their own process waiting as well
        starve(*g_on, {map_again, map_again, map_again, map_again});
        for (char letter = 0;;) {
            int next = -1;
            ipc::receive_packet(ends[1], &letter, 1, &next, kPatienceMs);
            if (next >= 0) close(file.exchange(next));
        }
    }
    without_end(ready, [&](unsigned) {
        HalfClient next(path);
        if (!next.welcomed() || !next.say_mapped() || !next.becomes_served()) return void(usleep(1000));
        ipc::send_packet(ends[0], "x", 1, next.file.get());
        usleep(5000);  // the threads are at it
        next.socket.reset();
        usleep(5000);
        munmap(next.region, kHugePageBytes);
    });
}

}  // namespace

}  // namespace xsched::test
