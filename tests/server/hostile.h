// The common part of attacks on the server: programs of other users that speak the protocol by hand and do not mean
// well, and a system server that they meet. It tells what another user notices meanwhile.
#pragma once

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <functional>
#include <set>

#include "support/server_rig.h"

namespace xsched::test {

// Under the sanitizers the server takes longer and needs more memory: there the attacks say that nothing breaks.
inline constexpr int64_t kSlower = XSCHED_SLOWER;

inline constexpr uid_t kAttackerUid = kNobody;
inline constexpr uid_t kVictimUid = 65533;

// A process of user `uid` that runs `body` and then does nothing, so that all that it has opened stays open.
class Attacker : public Sitter {
public:
    Attacker(uid_t uid, const std::function<bool()>& body) : Sitter([&] { return become(uid) && body(); }) {}
};

// A TCP socket whose last close waits for a minute: it has unsent data for a peer that never reads. Should the test's
// own close be the last, a timer ends the wait.
class LingeringSocket {
public:
    LingeringSocket() {
        const base::UniqueFd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t bytes = sizeof(address);
        sender_.reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        static std::vector<base::UniqueFd> kept;  // of those who never read: as long as this process
        if (bind(listener.get(), reinterpret_cast<sockaddr*>(&address), bytes) != 0 || listen(listener.get(), 1) != 0 ||
            getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &bytes) != 0 ||
            connect(sender_.get(), reinterpret_cast<sockaddr*>(&address), bytes) != 0)
            abort();
        kept.emplace_back(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
        const std::string junk(1 << 16, 'x');
        while (send(sender_.get(), junk.data(), junk.size(), MSG_DONTWAIT) > 0) {
        }
        const linger forever{1, 60};
        setsockopt(sender_.get(), SOL_SOCKET, SO_LINGER, &forever, sizeof(forever));
    }
    ~LingeringSocket() {
        struct sigaction action{};
        action.sa_handler = [](int) {};
        sigaction(SIGUSR2, &action, nullptr);
        sigevent event{};
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = SIGUSR2;
        timer_t timer{};
        const timespec every{0, 2'000'000};
        const itimerspec times{every, every};
        if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &times, nullptr) != 0)
            abort();
        sender_.reset();
        timer_delete(timer);
    }
    LingeringSocket(const LingeringSocket&) = delete;
    LingeringSocket& operator=(const LingeringSocket&) = delete;
    int get() const { return sender_.get(); }

private:
    base::UniqueFd sender_;
};

// One packet with any number of descriptors.
inline bool send_descriptors(int socket, const void* data, size_t bytes, const std::vector<int>& fds) {
    iovec content{const_cast<void*>(data), bytes};
    msghdr message{};
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    std::string control(CMSG_SPACE(sizeof(int) * fds.size()), '\0');
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    memcpy(CMSG_DATA(part), fds.data(), sizeof(int) * fds.size());
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

inline ipc::Hello hello_of(ipc::PeerKind kind) {
    return {ipc::kMagic, ipc::kVersion, sizeof(ipc::Hello), kind, "hostile", getpid()};
}

// A handover packet (with which a client lets the server stop its work) as a CUDA client would send it, with an empty
// set of channels.
inline std::string handover_packet() {
    constexpr uint32_t kSetBytes = 16 + (32 + 32 + 512) * 4;  // host/rm_control.h
    ipc::Handover head{};
    head.magic = ipc::kMagic;
    head.version = ipc::kVersion;
    head.platform = kPlatformCUDA;
    head.bytes = kSetBytes;
    return std::string(reinterpret_cast<const char*>(&head), offsetof(ipc::Handover, data)) +
           std::string(kSetBytes, '\0');
}

// A client's connection after the handshake; the Region is not mapped.
inline base::UniqueFd raw_client(const std::string& path) {
    base::UniqueFd socket(ipc::connect_path(path.c_str()));
    ipc::Welcome welcome{};
    int fd = -1;
    const bool answered =
        socket && ipc::shake_hands(socket.get(), ipc::PeerKind::kClient, "hostile", &welcome, &fd, kPatienceMs);
    const base::UniqueFd memory(fd);
    const bool in =
        answered && welcome.status == ipc::WelcomeStatus::kAccepted && ipc::say_mapped(socket.get(), welcome);
    return in ? std::move(socket) : base::UniqueFd();
}

// Test fixture: a server for all users, with programs of several users. Skipped where the test cannot become another
// user.
class UnderAttack : public WithServer {
protected:
    // Longest median of the times until a tool is answered, and longest single time, whatever another user does. The
    // latter allows for a machine that is busy with other things.
    static constexpr int64_t kAnswerMs = kSlower * 100;
    static constexpr int64_t kLongestMs = kSlower * 2000;
    // Where the same machine without the attack answers later than the 4 ms of a quiet one, the median may be longer in
    // proportion: kAnswerMs is this multiple of 4 ms.
    static constexpr int64_t kMostAnswers = 25;

    void SetUp() override {
        NEEDS_ROOT("to become other users");
        chmod(directory.path().c_str(), 0755);
        start_system();
    }
    void start_system(std::vector<std::string> more = {}) {
        more.insert(more.begin(), "--system");
        start(more);
    }

    // Measures how many milliseconds a tool of this user needs to connect and get an answer; -1: it gets none.
    int64_t answer_ms(uid_t uid) const {
        const std::string path = socket();
        const int64_t began = base::now_ns();
        const int result =
            as_user(uid, [&path] { return answer_of_server(path, {{"cmd", "status"}}).value("ok", false) ? 0 : 1; });
        return result == 0 ? (base::now_ns() - began) / base::kMillisecond : -1;
    }
    // Returns the processor time of the thread that answers tools, without that of other threads.
    int64_t front_ran_ns() const {
        const std::string pid = std::to_string(server->pid());
        FILE* file = fopen(("/proc/" + pid + "/task/" + pid + "/schedstat").c_str(), "re");
        long long ns = -1;
        if (file != nullptr && fscanf(file, "%lld", &ns) != 1) ns = -1;
        if (file != nullptr) fclose(file);
        return ns;
    }
    // Expects that the server uses little processor time of its own before it answers a tool.
    void expect_answers_after_little_work() const {
        std::vector<int64_t> times;
        for (int i = 0; i < 9; ++i) {
            const int64_t before_ns = front_ran_ns();
            ASSERT_GE(before_ns, 0) << "the kernel does not say";
            ASSERT_GE(answer_ms(kVictimUid), 0) << "no answer";
            times.push_back((front_ran_ns() - before_ns) / base::kMillisecond);
        }
        std::sort(times.begin(), times.end());
        EXPECT_LE(times[times.size() / 2], kAnswerMs);
        EXPECT_LE(times.back(), kLongestMs);
    }
    // The median of a tool's waiting times, and the longest.
    struct Answers {
        int64_t median_ms = -1;
        int64_t longest_ms = -1;
    };
    void ask(uid_t uid, Answers& answers) const {
        std::vector<int64_t> times;
        for (int i = 0; i < 9; ++i) {
            times.push_back(answer_ms(uid));
            ASSERT_GE(times.back(), 0) << "no answer";
        }
        std::sort(times.begin(), times.end());
        answers = {times[times.size() / 2], times.back()};
    }
    // Expects that a tool of this user is answered in time. `beside_ms`: how long that takes while the attackers only
    // compute.
    void expect_answers(uid_t uid = kVictimUid, int64_t beside_ms = 0) const {
        Answers answers;
        ASSERT_NO_FATAL_FAILURE(ask(uid, answers));
        EXPECT_LE(answers.median_ms, std::max(kAnswerMs, kMostAnswers * beside_ms));
        EXPECT_LE(answers.longest_ms, kLongestMs);
    }
    // Expects that scheduling works: of two new clients, the urgent one keeps the other off, and lets it go on
    // afterwards.
    void expect_scheduling() const {
        LowAndHigh clients(socket());
        ASSERT_TRUE(clients.connected());
        EXPECT_TRUE(clients.compete());
        clients.high.complete(0);
        EXPECT_TRUE(clients.low.becomes_suspended(0, false));
    }
    size_t descriptors() const {
        const std::string path = "/proc/" + std::to_string(server->pid()) + "/fd";
        size_t count = 0;
        DIR* list = opendir(path.c_str());
        while (list != nullptr && readdir(list) != nullptr) ++count;
        if (list != nullptr) closedir(list);
        return count;
    }
    int64_t resident_mib() const {
        FILE* file = fopen(("/proc/" + std::to_string(server->pid()) + "/status").c_str(), "re");
        char line[256];
        long long kib = -1;
        while (file != nullptr && fgets(line, sizeof(line), file) != nullptr)
            if (sscanf(line, "VmRSS: %lld", &kib) == 1) break;
        if (file != nullptr) fclose(file);
        return kib / 1024;
    }
    // Expects the server to end, and a new one to begin, in time.
    void expect_restart() {
        const int64_t began = base::now_ns();
        EXPECT_EQ(server->stop(), 0);
        start_system();
        EXPECT_LE((base::now_ns() - began) / base::kMillisecond, kLongestMs);
    }
};

}  // namespace xsched::test
