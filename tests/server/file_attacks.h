// The acts of a hostile user against the files that a server shares with his programs, so that the kernel's locks on
// them are held for long: threads of the idle class change a file on a processor that other threads of his keep busy.
// And how to see whether a thread of the server waits for that.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "server/hostile.h"
#include "server/server_threads.h"

#ifndef MADV_COLLAPSE  // since Linux 6.1
#define MADV_COLLAPSE 25
#endif

namespace xsched::test {

inline constexpr size_t kHugePageBytes = size_t{2} << 20;
inline constexpr unsigned kPunchers = 4;  // threads that make holes, beside one for each other disturbance
inline constexpr unsigned kSpinners = 4;  // threads that keep their processor busy

// A client that has received its Welcome and said nothing since. Its memory is mapped at an address where the kernel
// can make a huge page of it.
struct HalfClient {
    explicit HalfClient(const std::string& path) : socket(ipc::connect_path(path.c_str())) {
        int fd = -1;
        if (!socket || !ipc::shake_hands(socket.get(), ipc::PeerKind::kClient, "half", &welcome, &fd, kPatienceMs))
            return;
        file.reset(fd);
        auto* place = static_cast<char*>(
            mmap(nullptr, 2 * kHugePageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        place += kHugePageBytes - reinterpret_cast<uintptr_t>(place) % kHugePageBytes;
        void* mapped = mmap(place, kHugePageBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
        if (mapped != MAP_FAILED) region = static_cast<ipc::Region*>(mapped);
    }
    bool welcomed() const { return region != nullptr; }
    bool say_mapped() { return ipc::say_mapped(socket.get(), welcome); }
    bool served() const { return region->header.served.load() != 0; }
    bool becomes_served() const {
        return eventually([this] { return served(); });
    }

    base::UniqueFd socket;
    base::UniqueFd file;
    ipc::Welcome welcome{};
    ipc::Region* region = nullptr;
};

// A file shared with the server, as an attacker disturbs it: a starved thread calls Disturbances again and again,
// each of which takes a lock of the file, of its pages or of its mappings. `mapping`: where the file is mapped, or
// null.
struct SharedFile {
    int file;
    size_t bytes;
    void* mapping;
};
using Disturbance = void (*)(const SharedFile& shared);
inline const Disturbance kDisturbances[] = {
    [](const SharedFile& it) {
        fallocate(it.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(it.bytes));
    },
    [](const SharedFile& it) {
        if (it.mapping != nullptr) madvise(it.mapping, it.bytes, MADV_REMOVE);
    },
    [](const SharedFile& it) {
        fallocate(it.file, 0, 0, static_cast<off_t>(it.bytes));
        lseek(it.file, 0, SEEK_DATA);
        if (fchmod(it.file, 0600) != 0) errno = 0;  // the lock comes before the refusal
    },
    [](const SharedFile& it) {
        if (it.mapping == nullptr) return;
        madvise(it.mapping, kHugePageBytes, MADV_COLLAPSE);
        madvise(it.mapping, it.bytes / 4096 * 4096, MADV_PAGEOUT);
    },
    [](const SharedFile& it) {
        void* again = mmap(nullptr, it.bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, it.file, 0);
        if (again != MAP_FAILED) munmap(again, it.bytes);
    },
};

// A word that a test and its attackers share.
class SharedFlag {
public:
    SharedFlag()
        : word_(static_cast<std::atomic<uint32_t>*>(
              mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
    SharedFlag(const SharedFlag&) = delete;
    SharedFlag& operator=(const SharedFlag&) = delete;
    ~SharedFlag() { munmap(word_, 4096); }
    std::atomic<uint32_t>& operator*() const { return *word_; }

private:
    std::atomic<uint32_t>* word_;
};

inline void stay_on_one_processor() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof(allowed), &allowed);
    for (int at = 0; at < CPU_SETSIZE; ++at) {
        if (!CPU_ISSET(at, &allowed)) continue;
        CPU_ZERO(&allowed);
        CPU_SET(at, &allowed);
        sched_setaffinity(0, sizeof(allowed), &allowed);
        return;
    }
}

// Starts a starved thread for each step, beside threads that keep the processor busy. While `on`, each does its step
// without end; otherwise it computes. They end with the process.
inline void starve(std::atomic<uint32_t>& on, const std::vector<std::function<void()>>& steps) {
    static std::atomic<bool> g_starts{false};
    for (const auto& step : steps)
        std::thread([&on, step] {
            const sched_param none{0};
            stay_on_one_processor();
            for (bool starved = false;;) {
                if (on.load() != 0) step();
                if (starved || !g_starts.load()) continue;
                starved = sched_setscheduler(0, SCHED_IDLE, &none) == 0;
            }
        }).detach();
    usleep(100'000);  // all of them are at it
    g_starts = true;
    for (unsigned i = 0; i < kSpinners; ++i)
        std::thread([&on] {
            stay_on_one_processor();
            for (volatile uint64_t count = 0;;) count = count + (on.load() != 0 ? 1 : 2);
        }).detach();
}

// Disturbs a file without end by all of kDisturbances, as the function above does with single steps. `shared` returns
// the file.
inline void starve_file(std::atomic<uint32_t>& on, const std::function<SharedFile()>& shared) {
    std::vector<std::function<void()>> steps;
    for (const Disturbance disturb : kDisturbances)
        steps.insert(steps.end(), steps.empty() ? kPunchers : 1, [disturb, shared] { disturb(shared()); });
    starve(on, steps);
}

// Looks at the two threads that must not wait, a thousand times within some seconds.
struct Looks {
    explicit Looks(pid_t server, int count = 1000) {
        const pid_t scheduling = thread_named(server, "xserver-sched");
        EXPECT_GT(scheduling, 0);
        const ThreadState deciding(server, scheduling);
        const ThreadState front(server, server);
        for (int i = 0; i < count; ++i) {
            const bool deciding_is = deciding.blocked();
            const bool front_is = front.blocked();
            scheduling_blocked += deciding_is ? 1 : 0;
            front_blocked += front_is ? 1 : 0;
            if (deciding_is || front_is) where = (deciding_is ? deciding : front).stack();
            usleep(1000);
        }
    }
    int scheduling_blocked = 0;
    int front_blocked = 0;
    std::string where;  // the last one
};

}  // namespace xsched::test
