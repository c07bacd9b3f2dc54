// Descriptors that take for ever to close, and more of them than any client needs.
#include <linux/fuse.h>
#include <sys/uio.h>

#include "server/hostile.h"
#include "support/own_mounts.h"

namespace xsched::test {
namespace {

class DescriptorAttack : public UnderAttack {
protected:
    // Connects `count` times, sends `packet` each time with a socket that lingers, and hangs up or stays.
    static bool send_lingering(const std::string& path, const std::string& packet, int count, bool stays) {
        static std::vector<base::UniqueFd> kept;
        for (int i = 0; i < count; ++i) {
            base::UniqueFd connection(ipc::connect_path(path.c_str()));
            const LingeringSocket slow;
            if (!connection) return false;
            if (!send_descriptors(connection.get(), packet.data(), packet.size(), {slow.get()})) return false;
            if (stays) kept.push_back(std::move(connection));
        }
        return true;
    }
    // A lingering connection is closed by interrupting it, and no thread is left standing.
    void expect_nobody_stands() {
        usleep(700'000);  // after half a second one is left behind
        server->process().take_output();
        EXPECT_EQ(server->process().err().find("that cannot be closed"), std::string::npos) << server->process().err();
    }
    static std::string bytes_of(const ipc::Hello& hello) {
        return std::string(reinterpret_cast<const char*>(&hello), sizeof(hello));
    }
};

TEST_F(DescriptorAttack, ALingeringSocketWithTheHello) {
    const std::string path = socket();
    for (const bool stays : {true, false}) {
        // The server is stopped while the attackers close their descriptors, so that the server's own are surely the
        // last.
        kill(server->pid(), SIGSTOP);
        Attacker attacker(kAttackerUid, [&] {
            return send_lingering(path, bytes_of(hello_of(ipc::PeerKind::kClient)), 5, stays) &&
                   send_lingering(path, bytes_of(hello_of(ipc::PeerKind::kTool)), 5, stays);
        });
        kill(server->pid(), SIGCONT);
        ASSERT_TRUE(attacker.ready());
        expect_answers();
        expect_scheduling();
    }
    expect_restart();
    expect_scheduling();
}

TEST_F(DescriptorAttack, LingeringSocketsInAHandover) {
    const std::string path = socket();
    static std::vector<base::UniqueFd> kept;
    Attacker attacker(kAttackerUid, [&] {
        for (int i = 0; i < 4; ++i) {
            kept.push_back(raw_client(path));
            std::vector<std::unique_ptr<LingeringSocket>> slow;
            std::vector<int> fds;
            for (int j = 0; j < 20; ++j) {
                slow.push_back(std::make_unique<LingeringSocket>());
                fds.push_back(slow.back()->get());
            }
            const std::string packet = handover_packet();
            if (!kept.back() || !send_descriptors(kept.back().get(), packet.data(), packet.size(), fds)) return false;
        }
        return true;
    });
    ASSERT_TRUE(attacker.ready());
    expect_answers();
    expect_scheduling();
    expect_nobody_stands();
    expect_restart();
}

TEST_F(DescriptorAttack, ALingeringSocketWithAToolsRequest) {
    const std::string path = socket();
    static base::UniqueFd connection;
    Attacker attacker(kAttackerUid, [&] {
        connection.reset(ipc::connect_path(path.c_str()));
        ipc::Welcome welcome{};
        if (!ipc::shake_hands(connection.get(), ipc::PeerKind::kTool, "x", &welcome, nullptr, kPatienceMs))
            return false;
        const LingeringSocket slow;
        const std::string request = R"({"cmd":"list"})";
        return send_descriptors(connection.get(), request.data(), request.size(), {slow.get()});
    });
    ASSERT_TRUE(attacker.ready());
    expect_answers();
    expect_restart();
}

// A socket within a socket is dropped unread when the connection ends, in the middle of a queue of harmless packets.
TEST_F(DescriptorAttack, ALingeringSocketThatIsNeverRead) {
    const std::string path = socket();
    Attacker attacker(kAttackerUid, [&] {
        for (int i = 0; i < 10; ++i) {
            const base::UniqueFd client = raw_client(path);
            const LingeringSocket slow;
            if (!client) return false;
            ipc::send_packet(client.get(), "nonsense", 8);
            ipc::send_packet(client.get(), "", 0);
            send_descriptors(client.get(), "", 0, {slow.get()});
            send_descriptors(client.get(), "more", 4, {slow.get()});
        }
        return true;
    });
    ASSERT_TRUE(attacker.ready());
    expect_answers();
    expect_scheduling();
    EXPECT_TRUE(eventually([&] { return descriptors() < 40; })) << descriptors();
    expect_nobody_stands();
    expect_restart();
}

// The undertaker's threads come and go with the number of users that have something to be closed.
TEST_F(DescriptorAttack, UsersWhoComeAndGoTogether) {
    const std::string path = socket();
    const size_t before = descriptors();
    static std::vector<base::UniqueFd> kept;
    for (int round = 0; round < 5; ++round) {
        std::vector<std::unique_ptr<Attacker>> users;
        for (uid_t uid = 60000; uid < 60006; ++uid)
            users.push_back(std::make_unique<Attacker>(uid, [&] {
                for (int i = 0; i < 5; ++i) kept.push_back(raw_client(path));
                return true;
            }));
    }
    EXPECT_TRUE(eventually([&] { return descriptors() <= before + 4; }, 5000))
        << descriptors() << ", before " << before;
}

TEST_F(DescriptorAttack, PacketsFullOfDescriptors) {
    const std::string path = socket();
    const size_t before = descriptors();
    static std::vector<base::UniqueFd> kept;
    Attacker attacker(kAttackerUid, [&] {
        const std::vector<int> fds(253, STDERR_FILENO);
        const std::string packet = handover_packet();
        for (int i = 0; i < 20; ++i) {
            kept.push_back(raw_client(path));
            for (int j = 0; j < 3; ++j) send_descriptors(kept.back().get(), packet.data(), packet.size(), fds);
        }
        return true;
    });
    ASSERT_TRUE(attacker.ready());
    expect_answers();
    EXPECT_LE(descriptors(), before + 20 * 3 + 10) << "the server keeps what it does not want";
}

// A file system of the attacker's own, which answers everything but the one call that comes with each close.
class StandingFile {
public:
    // Makes the file in a mount of FUSE (a file system that hangs). Called in the attacker while it is still root, in
    // a mount namespace of its own.
    bool make() {
        if (!enter_own_mounts()) return false;
        const char* place = "/tmp/xsched-standing-file";
        close(open(place, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
        device_.reset(open("/dev/fuse", O_RDWR | O_CLOEXEC));
        const std::string options =
            "fd=" + std::to_string(device_.get()) + ",rootmode=100000,user_id=0,group_id=0,allow_other";
        if (!device_ || mount("standing", place, "fuse", MS_NOSUID | MS_NODEV, options.c_str()) != 0) return false;
        daemon_ = fork();
        if (daemon_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;) serve();
        }
        device_.reset();  // the daemon's is the last: with its end all calls fail
        file_.reset(open(place, O_RDONLY | O_CLOEXEC));
        unlink(place);
        return static_cast<bool>(file_);
    }
    int fd() const { return file_.get(); }
    pid_t daemon() const { return daemon_; }

private:
    template <typename Body>
    void reply(uint64_t unique, const Body& body) const {
        fuse_out_header head{static_cast<uint32_t>(sizeof(head) + sizeof(body)), 0, unique};
        const iovec parts[2] = {{&head, sizeof(head)}, {const_cast<Body*>(&body), sizeof(body)}};
        if (writev(device_.get(), parts, 2) < 0) _exit(1);
    }
    void serve() const {
        static char request[1 << 17];
        if (read(device_.get(), request, sizeof(request)) <= 0) _exit(0);
        fuse_in_header head{};
        memcpy(&head, request, sizeof(head));
        if (head.opcode == FUSE_INIT) {
            fuse_init_out answer{};
            answer.major = FUSE_KERNEL_VERSION;
            answer.minor = FUSE_KERNEL_MINOR_VERSION;
            answer.max_write = 4096;
            reply(head.unique, answer);
        } else if (head.opcode == FUSE_GETATTR) {
            fuse_attr_out answer{};
            answer.attr.mode = S_IFREG | 0644;
            answer.attr.nlink = 1;
            answer.attr_valid = 3600;
            reply(head.unique, answer);
        } else if (head.opcode == FUSE_OPEN) {
            reply(head.unique, fuse_open_out{});
        }
    }
    base::UniqueFd device_;
    base::UniqueFd file_;
    pid_t daemon_ = -1;
};

TEST_F(DescriptorAttack, FilesWhoseFileSystemDoesNotAnswer) {
    const std::string path = socket();
    static std::vector<base::UniqueFd> kept;
    static StandingFile file;
    int told[2];
    ASSERT_EQ(pipe2(told, O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(120);
        char good = file.make() ? 1 : 2;
        if (good == 1 && !become(kAttackerUid)) good = 0;
        const std::string packet = handover_packet();
        for (int i = 0; good == 1 && i < 6; ++i) {
            kept.push_back(raw_client(path));
            if (!kept.back()) break;  // refused: too many are stuck
            send_descriptors(kept.back().get(), packet.data(), packet.size(), {file.fd()});
            usleep(700'000);
        }
        const pid_t words[2] = {good, file.daemon()};
        if (write(told[1], words, sizeof(words)) != sizeof(words)) _exit(1);
        for (;;) pause();
    }
    close(told[1]);
    pid_t words[2] = {};
    const bool answered = read(told[0], words, sizeof(words)) == sizeof(words);
    close(told[0]);
    const pid_t good = words[0];
    // End the process of the file system first: a process that has a file of it open cannot end before.
    const auto end = [&] {
        if (words[1] > 0) kill(words[1], SIGKILL);
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    };
    struct AtEnd {
        std::function<void()> body;
        ~AtEnd() { body(); }
    } const at_end{end};
    if (!answered || good == 2) {
        GTEST_SKIP() << "no FUSE file system can be mounted here";
    }
    EXPECT_EQ(good, 1);
    expect_answers();
    expect_scheduling();
    EXPECT_EQ(as_user(kAttackerUid, [&] { return raw_client(path) ? 1 : 0; }), 0) << "too many of his are stuck";
    EXPECT_EQ(as_user(kVictimUid, [&] { return raw_client(path) ? 0 : 1; }), 0);
    // The old server's threads are stuck until the file system goes; a new one is there at once all the same.
    kill(server->pid(), SIGTERM);
    std::unique_ptr<ServerProcess> next;  // refused until the old one has taken note of the signal
    const auto begins = [&] {
        next = std::make_unique<ServerProcess>(directory, std::vector<std::string>{"--system"});
        return next->ready();
    };
    EXPECT_TRUE(eventually(begins, 5000)) << next->process().err();
    EXPECT_EQ(as_user(kVictimUid, [&] { return raw_client(path) ? 0 : 1; }), 0);
    end();
    EXPECT_EQ(server->process().wait(), 0);
}

}  // namespace
}  // namespace xsched::test
