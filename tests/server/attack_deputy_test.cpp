// Handovers that name what is not their sender's: the server has every client's descriptors, and must not be made to
// use them against any client (docs/SECURITY.md). On the fake kernel driver, which lets a list of channels name any
// process's.
#include <sys/mman.h>

#include <atomic>

#include "server/rm_process.h"

namespace xsched::test {
namespace {

constexpr int kLooks = 5'000;
constexpr uint64_t kGang = 7;

// The memory that the test and an attacker's process share.
struct Orders {
    std::atomic<uint32_t> free_client{0};  // the second attacker's client of the driver's; then its answer 2
    std::atomic<uint32_t> off{0};  // how often one of its own was seen off
};

class DeputyAttack : public UnderAttack {
protected:
    void SetUp() override {
        NEEDS_ROOT("to become other users");
        chmod(directory.path().c_str(), 0755);
        files_ = directory / "files";
        ASSERT_EQ(mkdir(files_.c_str(), 0777), 0);
        ASSERT_EQ(chmod(files_.c_str(), 0777), 0);
        setenv("FAKE_RM_DIR", files_.c_str(), 1);
        Environment environment = directory.environment();
        environment["LD_PRELOAD"] = XSCHED_FAKE_RM_PRELOAD;
        environment["FAKE_RM_DIR"] = files_;
        environment["XLOG_LEVEL"] = "DEBG";  // says what is done in one call
        server = std::make_unique<ServerProcess>(directory, std::vector<std::string>{"--system"}, environment);
        ASSERT_TRUE(server->ready()) << server->process().err();
        void* memory = mmap(nullptr, sizeof(Orders), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        ASSERT_NE(memory, MAP_FAILED);
        orders_ = new (memory) Orders;
    }
    void TearDown() override {
        if (orders_ != nullptr) munmap(orders_, sizeof(Orders));
        unsetenv("FAKE_RM_DIR");
    }
    // A program of the attacker's, which hands over what is its own, and `more`. It answers for ever, and frees its
    // client when told. Two of them make room in one call; the first one's descriptor makes it for both.
    std::function<bool()> program(uint32_t number, const std::function<bool(RmProcess&, TestClient&)>& more) {
        return [this, number, more, path = socket()] {
            static RmProcess own(number);
            static TestClient client(path, "copies");
            if (!own.made() || !client.connected() || !own.hand_over(client) || !more(own, client)) return false;
            if (fork() != 0) return true;
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            add_rm_queue(client, 0, kGang);
            client.submit(0);
            const bool frees = number != 0;
            for (const int64_t end = base::now_ns() + 100 * base::kSecond; base::now_ns() < end; usleep(100)) {
                answer(client);
                orders_->off.fetch_add(own.times_off());
                if (!frees || orders_->free_client.load() != 1) continue;
                own.free_client();
                orders_->free_client = 2;
            }
            _exit(0);
        };
    }
    static bool nothing(RmProcess&, TestClient&) { return true; }
    // Lets the urgent program work and pause for 10 ms each. Returns how often the victim's channel was seen disabled
    // meanwhile.
    static int looks_off(TestClient& urgent, const RmProcess& victim, int looks = kLooks) {
        int off = 0;
        for (int i = 0; i < looks; ++i) {
            if (i % 100 == 0) urgent.submit(0);
            if (i % 100 == 50) urgent.complete(0);
            off += victim.times_off() != 0 ? 1 : 0;
            answer(urgent);
            usleep(200);
        }
        return off;
    }
    // Returns whether the server takes the attackers' own work off for the urgent program, in one call: so the
    // channels that they handed over are in use.
    bool are_taken_off(TestClient& urgent, const RmProcess& victim, const char* how = "taken off together") {
        return eventually([&] {
            const uint32_t before = orders_->off.load();
            looks_off(urgent, victim, 200);
            return orders_->off.load() > before && server->process().err().find(how) != std::string::npos;
        });
    }
    int64_t used_of(uid_t uid, const char* limit) const {
        const Json answer = answer_of_server(socket(), {{"cmd", "limits"}});
        for (const Json& user : answer["users"])
            for (const Json& one : user["limits"])
                if (user["uid"] == uid && one["name"] == limit) return one.value("used", int64_t{-1});
        return -1;
    }
    bool is_counted(uid_t uid) const {
        return eventually([&] { return used_of(uid, "refused-handovers") > 0; });
    }

    std::string files_;
    Orders* orders_ = nullptr;
};

TEST_F(DeputyAttack, ASetThatNamesAnothersChannelsIsNeverUsed) {
    RmProcess victim;
    TestClient urgent(socket(), "urgent");
    ASSERT_TRUE(victim.made() && urgent.connected() && victim.hand_over(urgent));
    const auto forge = [client = victim.client()](RmProcess& own, TestClient& mine) {
        return own.hand_over(mine, 2, client);
    };
    Attacker first(kAttackerUid, program(0, nothing)), second(kAttackerUid, program(0, forge));
    ASSERT_TRUE(first.ready() && second.ready());
    add_rm_queue(urgent, 127);
    EXPECT_TRUE(is_counted(kAttackerUid)) << "refused, and counted: " << server->process().err();
    ASSERT_TRUE(are_taken_off(urgent, victim)) << server->process().err();
    EXPECT_EQ(looks_off(urgent, victim), 0) << "of " << kLooks;
    EXPECT_EQ(used_of(0, "refused-handovers"), 0);
    EXPECT_TRUE(server->logs("channels that are not its descriptor's own")) << server->process().err();
}

// An attacker hands over the number of a driver client that it proved to own, frees it, and lets another process
// choose the same number.
TEST_F(DeputyAttack, ANumberThatHasAnotherOwnerSinceItsProof) {
    constexpr uint32_t kNumber = 0xc1d0beef;
    RmProcess nobodys;
    TestClient urgent(socket(), "urgent");
    Attacker first(kAttackerUid, program(0, nothing)), second(kAttackerUid, program(kNumber, nothing));
    ASSERT_TRUE(urgent.connected() && first.ready() && second.ready());
    add_rm_queue(urgent, 127);
    ASSERT_TRUE(are_taken_off(urgent, nobodys)) << "proved, and used: " << server->process().err();
    urgent.complete(0);
    orders_->free_client = 1;
    ASSERT_TRUE(eventually([&] { return orders_->free_client.load() == 2; }));
    RmProcess victim(kNumber);
    ASSERT_TRUE(victim.made());
    EXPECT_EQ(looks_off(urgent, victim), 0) << "of " << kLooks;
    EXPECT_TRUE(are_taken_off(urgent, victim)) << "the attacker's other program";
    EXPECT_TRUE(is_counted(kAttackerUid)) << "counted: " << server->process().err();
}

// An attacker hands over sets of channels again and again that are not its own. The proof fails, which must cost the
// attacker's user the server's help, and others nothing.
TEST_F(DeputyAttack, SetsThatProveFalseWithoutEnd) {
    RmProcess victim, silent;
    TestClient urgent(socket(), "urgent"), low(socket(), "low");
    ASSERT_TRUE(urgent.connected() && low.connected());
    Attacker attacker(kAttackerUid, [&, path = socket(), client = victim.client()] {
        static RmProcess own;
        static TestClient mine(path, "flood");
        if (!mine.connected() || fork() != 0) return mine.connected();
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (const int64_t end = base::now_ns() + 100 * base::kSecond; base::now_ns() < end; usleep(200))
            own.hand_over(mine, 1, client);
        _exit(0);
    });
    ASSERT_TRUE(attacker.ready());
    EXPECT_TRUE(eventually([&] { return used_of(kAttackerUid, "refused-handovers") >= 64; }));
    // Another user's program that hands over meanwhile and falls silent is acted for.
    ASSERT_TRUE(silent.hand_over(low));
    add_rm_queue(low, 0);
    low.submit(0);
    add_rm_queue(urgent, 127);
    urgent.submit(0);
    EXPECT_TRUE(eventually([&] { return silent.times_off() != 0; })) << server->process().err();
    urgent.complete(0);
    EXPECT_TRUE(eventually([&] { return silent.times_off() == 0; }));
    EXPECT_EQ(victim.times_off(), 0u);
    usleep(500'000);
    EXPECT_LE(used_of(kAttackerUid, "refused-handovers"), 64 + 2) << "those beyond are not even looked at";
    const std::string log = server->process().err();
    size_t lines = 0;
    for (size_t at = log.find("not its descriptor's own"); at != std::string::npos;
         at = log.find("not its descriptor's own", at + 1))
        ++lines;
    EXPECT_GT(lines, 0u);
    EXPECT_LE(lines, 30u) << "one a second";
    expect_answers();
}

// A hostile client writes any timeslice into its slots, and into the set that it hands over (as the driver's own).
// The server must not set absurd ones.
TEST_F(DeputyAttack, TimeslicesThatAreAbsurd) {
    constexpr uint32_t kMostUs = 8'192;  // XSCHED_DEBUG's urgent_timeslice
    const std::string path = socket();
    Attacker attacker(kAttackerUid, [this, path] {
        static RmProcess own;
        static TestClient mine(path, "greedy");
        if (!mine.connected() || !own.hand_over(mine, 1, own.client(), 100'000'000)) return false;
        add_rm_queue(mine, 0);
        mine.submit(0);
        if (fork() != 0) return true;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        uint32_t most_us = 0;
        for (const int64_t end = base::now_ns() + 100 * base::kSecond; base::now_ns() < end; usleep(100)) {
            mine.slot(0).device_timeslice_us = UINT32_MAX - 1;
            most_us = std::max(most_us, own.timeslice_us());
            orders_->off = most_us;
            if (orders_->free_client.exchange(0) == 1) shutdown(mine.socket(), SHUT_RDWR);
        }
        _exit(0);
    });
    ASSERT_TRUE(attacker.ready());
    TestClient urgent(path, "urgent");
    add_rm_queue(urgent, 127);
    urgent.submit(0);  // the attacker is told to make room, and does not answer
    EXPECT_TRUE(eventually([&] { return orders_->off.load() >= kMostUs; })) << server->process().err();
    orders_->free_client = 1;
    EXPECT_TRUE(eventually([&] { return client_count() <= 1; }));
    usleep(200'000);
    EXPECT_EQ(orders_->off.load(), kMostUs);
}

// The server makes driver calls for clients of CUDA alone (AMD's kernel driver, for one, takes calls only from the
// process that opened it). If a client hands over a driver's file for another platform, its connection is ended.
TEST_F(DeputyAttack, HandoversOfOtherPlatformsEndTheirConnection) {
    RmProcess own;
    for (const uint32_t platform : {uint32_t{kPlatformHIP}, uint32_t{kPlatformOpenCL}, UINT32_MAX}) {
        TestClient client(socket(), "other");
        ASSERT_TRUE(client.connected());
        std::string packet = own.handover(1, own.client());
        memcpy(&packet[offsetof(ipc::Handover, platform)], &platform, sizeof platform);
        ASSERT_TRUE(send_descriptors(client.socket(), packet.data(), packet.size(), {own.file()}));
        char byte = 0;
        EXPECT_TRUE(eventually([&] { return recv(client.socket(), &byte, 1, MSG_DONTWAIT) == 0; })) << platform;
    }
}

}  // namespace
}  // namespace xsched::test
