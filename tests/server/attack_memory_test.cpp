// Clients and tools that hold the locks of the files that the server shares with them, and what others notice.
#include "server/file_attacks.h"

namespace xsched::test {
namespace {

class MemoryAttack : public UnderAttack {
protected:
    void expect_no_thread_blocked() const {
        const Looks looks(server->pid());
        EXPECT_EQ(looks.scheduling_blocked, 0) << looks.where;
        EXPECT_EQ(looks.front_blocked, 0) << looks.where;
    }
    // The median time, in ns, from an urgent queue's readiness to the directive for another client.
    static int64_t decision_ns(LowAndHigh& clients, std::vector<int64_t>& times) {
        auto& [low, high] = clients;
        for (int i = 0; i < 40; ++i) {
            high.submit(0);
            EXPECT_TRUE(low.becomes_suspended(0, true));
            times.push_back(low.slot(0).directed_ns.load() - high.slot(0).ready_since_ns.load());
            high.complete(0);
            EXPECT_TRUE(low.becomes_suspended(0, false));
        }
        std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
        return times[times.size() / 2];
    }
    // Measures how long decisions about two programs take, in turns while the attackers attack and while they only
    // compute, and expects about the same.
    void expect_decisions(std::atomic<uint32_t>& attacks) const {
        LowAndHigh clients(socket());
        ASSERT_TRUE(clients.connected());
        clients.low.submit(0);
        std::vector<int64_t> during;
        std::vector<int64_t> undisturbed;
        int64_t during_ns = 0;
        int64_t undisturbed_ns = 0;
        for (int round = 0; round < 5; ++round) {
            attacks = 0;
            undisturbed_ns = decision_ns(clients, undisturbed);
            attacks = 1;
            during_ns = decision_ns(clients, during);
        }
        RecordProperty("decision_us", std::to_string(during_ns / 1000));
        RecordProperty("undisturbed_us", std::to_string(undisturbed_ns / 1000));
        EXPECT_LE(during_ns, std::max(2 * undisturbed_ns, kSlower * 100'000)) << "undisturbed: " << undisturbed_ns;
    }
    void expect_answers_to(uid_t uid, std::atomic<uint32_t>& attacks) const {
        Answers undisturbed;
        attacks = 0;
        ASSERT_NO_FATAL_FAILURE(ask(uid, undisturbed));
        attacks = 1;
        expect_answers(uid, undisturbed.median_ms);
    }
    // Expects that an attack blocks no thread of the server, delays decisions little, and that a tool of user `asks`
    // gets its answers.
    void expect_little_effect(Attacker& attacker, std::atomic<uint32_t>& attacks, uid_t asks) const {
        ASSERT_TRUE(attacker.ready());
        expect_no_thread_blocked();
        expect_decisions(attacks);
        expect_answers_to(asks, attacks);
    }
};

// Once a process is served, it cannot punch holes into the memory that it shares with the server, nor change its size
// or seals: each such call is refused.
TEST_F(MemoryAttack, NobodyPunchesHolesIntoMemoryThatIsServed) {
    const std::string path = socket();
    EXPECT_EQ(as_user(kAttackerUid,
                      [&] {
                          HalfClient client(path);
                          if (!client.welcomed() || !client.say_mapped() || !client.becomes_served()) return 1;
                          const int file = client.file.get();
                          const auto refused = [](int result) { return result != 0 && errno == EPERM; };
                          constexpr int kHole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
                          if (!refused(fallocate(file, kHole, 0, 4096))) return 2;
                          if (!refused(madvise(client.region, 4096, MADV_REMOVE))) return 3;
                          if (!refused(ftruncate(file, 4096))) return 4;
                          if (!refused(fcntl(file, F_ADD_SEALS, F_SEAL_WRITE))) return 5;
                          if (mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) != MAP_FAILED) return 6;
                          client.region->slots[5].handle = 7;  // its own mapping stays as it was
                          return client.region->slots[5].handle == 7 ? 0 : 7;
                      }),
              0);
}

TEST_F(MemoryAttack, AClientThatHoldsTheLocksOfItsMemory) {
    const SharedFlag attacks;
    *attacks = 1;
    const std::string path = socket();
    Attacker attacker(kAttackerUid, [&] {
        static HalfClient client(path);
        if (!client.welcomed() || !client.say_mapped() || !client.becomes_served()) return false;
        ipc::Region& region = *client.region;
        for (unsigned at = 0; at < ipc::kMostQueues; ++at)
            make_slot(region, at, at + 1, TestClient::kFirstDevice + 1, 0, base::kMicrosecond);
        starve_file(*attacks, [] { return SharedFile{client.file.get(), sizeof(ipc::Region), client.region}; });
        std::thread([&region] {  // the scheduling thread is to look at all of it
            for (unsigned at = 0;; at = (at + 1) % ipc::kMostQueues) {
                region.slots[at].submitted.fetch_add(1);
                ring_doorbell(region.header);
                usleep(200);
            }
        })
            .detach();
        return true;
    });
    expect_little_effect(attacker, *attacks, kVictimUid);
}

// Clients punch holes into their memory from the Welcome on, before it is sealed; one reports that it has mapped the
// memory, one does not. Only a thread of the server that may block must touch such memory.
TEST_F(MemoryAttack, HolesBeforeTheMemoryIsSealed) {
    const SharedFlag attacks;
    *attacks = 1;
    const std::string path = socket();
    Attacker attacker(kAttackerUid, [&] {
        static HalfClient silent(path);
        static HalfClient speaking(path);
        if (!silent.welcomed() || !speaking.welcomed()) return false;
        starve_file(*attacks, [] {
            static thread_local unsigned turn = 0;
            const HalfClient& client = ++turn % 2 == 0 ? silent : speaking;
            return SharedFile{client.file.get(), sizeof(ipc::Region), client.region};
        });
        usleep(100'000);
        speaking.say_mapped();
        // More such clients connect and leave at once, so that the server takes their memory back while holes are
        // punched into it.
        std::thread([path] {
            for (;;) {
                HalfClient next(path);
                if (next.welcomed()) next.say_mapped();
                usleep(20'000);
            }
        }).detach();
        return true;
    });
    expect_little_effect(attacker, *attacks, kVictimUid);
    EXPECT_EQ(as_user(kVictimUid, [&] { return TestClient(path).connected() ? 0 : 1; }), 0);
}

// The tool's next request has the server empty the file of the last answer.
TEST_F(MemoryAttack, AToolThatHoldsTheLocksOfItsAnswers) {
    const SharedFlag attacks;
    *attacks = 1;
    const std::string path = socket();
    Attacker attacker(kAttackerUid, [&] {
        static TestClient client(path);
        if (!client.connected()) return false;
        for (unsigned at = 0; at < ipc::kMostQueues; ++at) client.add_queue(at, 0, at + 1);
        static base::UniqueFd tool(ipc::connect_path(path.c_str()));
        ipc::Welcome welcome{};
        if (!ipc::shake_hands(tool.get(), ipc::PeerKind::kTool, "keeper", &welcome, nullptr, kPatienceMs)) return false;
        static std::atomic<int> file{-1};
        const auto ask = [] {
            const std::string list = R"({"cmd":"list"})";
            std::string packet(ipc::kMostPacketBytes, '\0');
            int fd = -1;
            ipc::send_packet(tool.get(), list.data(), list.size());
            ipc::receive_packet(tool.get(), packet.data(), packet.size(), &fd, kPatienceMs);
            if (fd >= 0) file = fd;  // the earlier ones stay open
        };
        ask();
        if (file < 0) return false;
        starve_file(*attacks, [] { return SharedFile{file, 65536, nullptr}; });
        std::thread([ask] {
            for (;;) {
                ask();
                usleep(50'000);
            }
        }).detach();
        return true;
    });
    expect_little_effect(attacker, *attacks, 0);
}

TEST_F(MemoryAttack, AnAnswersFileCanBeReadAlone) {
    const std::string path = socket();
    EXPECT_EQ(as_user(kAttackerUid,
                      [&] {
                          TestClient client(path);
                          for (unsigned at = 0; at < ipc::kMostQueues; ++at) client.add_queue(at, 0, at + 1);
                          const base::UniqueFd tool(ipc::connect_path(path.c_str()));
                          ipc::Welcome welcome{};
                          ipc::shake_hands(tool.get(), ipc::PeerKind::kTool, "x", &welcome, nullptr, kPatienceMs);
                          const std::string list = R"({"cmd":"list"})";
                          std::string packet(ipc::kMostPacketBytes, '\0');
                          int fd = -1;
                          ipc::send_packet(tool.get(), list.data(), list.size());
                          ipc::receive_packet(tool.get(), packet.data(), packet.size(), &fd, kPatienceMs);
                          if (fd < 0 || read(fd, packet.data(), 1) != 1) return 1;
                          if ((fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY) return 2;
                          if (fallocate(fd, 0, 0, 4096) == 0 || errno != EBADF) return 3;
                          if (open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDWR) >= 0) return 4;
                          return fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0 ? 5 : 0;
                      }),
              0);
}

TEST_F(MemoryAttack, AClientThatNeverMapsIsLetGo) {
    const std::string path = socket();
    Attacker attacker(kAttackerUid, [&] {
        static HalfClient client(path);
        return client.welcomed();
    });
    ASSERT_TRUE(attacker.ready());
    EXPECT_TRUE(server->logs("did not map its memory in time"));
    EXPECT_EQ(client_count(), 0);
    expect_scheduling();
}

TEST_F(MemoryAttack, WordsThatAreNoneOfTheHandshake) {
    const std::string path = socket();
    const auto ends = [](const HalfClient& client) {
        char more = 0;
        const long bytes = ipc::receive_packet(client.socket.get(), &more, 1, nullptr, kPatienceMs);
        return bytes == 0 || (bytes < 0 && errno == ECONNRESET);
    };
    EXPECT_EQ(as_user(kAttackerUid,
                      [&] {
                          HalfClient twice(path);
                          twice.say_mapped();
                          twice.say_mapped();
                          if (!ends(twice)) return 1;
                          HalfClient other(path);
                          other.welcome.client_id += 1;
                          other.say_mapped();
                          if (!ends(other)) return 2;
                          HalfClient sends(path);
                          const ipc::Mapped mapped{ipc::kMagic, ipc::kVersion, sizeof(ipc::Mapped),
                                                   sends.welcome.client_id};
                          const LingeringSocket slow;
                          send_descriptors(sends.socket.get(), &mapped, sizeof(mapped), {slow.get(), STDIN_FILENO});
                          if (!ends(sends)) return 3;
                          HalfClient seals(path);
                          fcntl(seals.file.get(), F_ADD_SEALS, F_SEAL_SEAL);
                          seals.say_mapped();
                          if (!ends(seals)) return 4;
                          HalfClient leaves(path);
                          leaves.say_mapped();
                          leaves.socket.reset();
                          const base::UniqueFd unmapped = raw_client(path);  // it says so and has not mapped it
                          return unmapped && TestClient(path).connected() ? 0 : 5;
                      }),
              0);
    EXPECT_TRUE(server->logs("sent descriptors where none are expected: disconnected"));
    EXPECT_TRUE(server->logs("has sealed it, before it is served: disconnected"));
    EXPECT_TRUE(eventually([&] { return client_count() == 0; }));
    expect_scheduling();
}

// To make a folder takes the lock of the parent before it is refused. Each newcomer is a process that the server looks
// up in /proc for the first time, where that lock is needed.
TEST_F(MemoryAttack, LookUpsInProcThatAreHeldUp) {
    const SharedFlag attacks;
    *attacks = 1;
    const std::string path = socket();
    expect_scheduling();
    Attacker attacker(kAttackerUid, [&] {
        starve(*attacks, {4, [] { mkdir("/proc/x", 0755); }});
        return true;
    });
    ASSERT_TRUE(attacker.ready());
    int held_up = 0;
    std::thread newcomers([&] {
        for (int i = 0; i < 20; ++i)
            held_up += as_user(kVictimUid, [&] { return TestClient(path).connected() ? 0 : 1; }) == 0 ? 0 : 1;
    });
    const Looks looks(server->pid(), 300);
    newcomers.join();
    EXPECT_EQ(looks.scheduling_blocked, 0) << looks.where;
    EXPECT_EQ(looks.front_blocked, 0) << looks.where;
    EXPECT_EQ(held_up, 0);
    expect_answers();
    attacker.stop();
    EXPECT_TRUE(eventually([&] {  // what could not be read is read now
        TestClient client(path);
        const Json list = TestTool(path).ask({{"cmd", "status"}});
        return list["processes"].size() == 1;
    }));
}

}  // namespace
}  // namespace xsched::test
