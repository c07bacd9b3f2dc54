// Packets, descriptors and handshakes over a socket pair.
#include "ipc/protocol.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/unique_fd.h"

namespace xsched::ipc {
namespace {

using base::UniqueFd;

class Packets : public ::testing::Test {
protected:
    void SetUp() override {
        int ends[2];
        ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
        here.reset(ends[0]);
        there.reset(ends[1]);
    }
    UniqueFd here;
    UniqueFd there;
    char buffer[64] = {};
};

TEST_F(Packets, ArriveWholeAndInOrder) {
    ASSERT_TRUE(send_packet(here.get(), "first", 5));
    ASSERT_TRUE(send_packet(here.get(), "second", 6));
    EXPECT_EQ(receive_packet(there.get(), buffer, sizeof(buffer), nullptr, 1000), 5);
    EXPECT_EQ(receive_packet(there.get(), buffer, sizeof(buffer), nullptr, 1000), 6);
    EXPECT_EQ(std::string(buffer, 6), "second");
}

TEST_F(Packets, CarryOneDescriptor) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    UniqueFd out(ends[0]);
    UniqueFd in(ends[1]);
    ASSERT_TRUE(send_packet(here.get(), "x", 1, out.get()));
    int fd = -1;
    ASSERT_EQ(receive_packet(there.get(), buffer, sizeof(buffer), &fd, 1000), 1);
    const UniqueFd received(fd);
    ASSERT_GE(fd, 0);
    EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    ASSERT_EQ(write(in.get(), "y", 1), 1);
    EXPECT_EQ(read(fd, buffer, 1), 1);
    EXPECT_EQ(buffer[0], 'y');
}

TEST_F(Packets, UnwantedDescriptorsAreRefused) {
    const int before = dup(0);
    close(before);
    ASSERT_TRUE(send_packet(here.get(), "x", 1, here.get()));
    EXPECT_EQ(receive_packet(there.get(), buffer, sizeof(buffer), nullptr, 1000), 1);
    const int after = dup(0);
    close(after);
    EXPECT_EQ(before, after) << "a descriptor was left open";
}

TEST_F(Packets, NoDescriptorIsMinusOne) {
    ASSERT_TRUE(send_packet(here.get(), "x", 1));
    int fd = 77;
    EXPECT_EQ(receive_packet(there.get(), buffer, sizeof(buffer), &fd, 1000), 1);
    EXPECT_EQ(fd, -1);
}

TEST_F(Packets, TooLongIsAnErrorAndTheNextOneStillComes) {
    ASSERT_TRUE(send_packet(here.get(), std::string(100, 'a').data(), 100, here.get()));
    ASSERT_TRUE(send_packet(here.get(), "b", 1));
    int fd = 77;
    EXPECT_EQ(receive_packet(there.get(), buffer, sizeof(buffer), &fd, 1000), -1);
    EXPECT_EQ(errno, EMSGSIZE);
    EXPECT_EQ(fd, -1);
    EXPECT_EQ(receive_packet(there.get(), buffer, sizeof(buffer), &fd, 1000), 1);
}

TEST_F(Packets, WaitingEndsInTime) {
    const int64_t start = base::now_ns();
    EXPECT_EQ(receive_packet(there.get(), buffer, sizeof(buffer), nullptr, 50), -1);
    EXPECT_EQ(errno, ETIMEDOUT);
    EXPECT_GE(base::now_ns() - start, 45 * base::kMillisecond);
    EXPECT_EQ(receive_packet(there.get(), buffer, sizeof(buffer), nullptr, 0), -1);
    EXPECT_EQ(errno, EAGAIN);
}

TEST_F(Packets, EndOfFileIsZeroAndSendingThenFailsWithoutASignal) {
    here.reset();
    EXPECT_EQ(receive_packet(there.get(), buffer, sizeof(buffer), nullptr, 1000), 0);
    EXPECT_FALSE(send_packet(there.get(), "x", 1));
    EXPECT_EQ(errno, EPIPE);
}

TEST_F(Packets, SendingNeverWaits) {
    const std::string big(60'000, 'x');
    int sent = 0;
    while (sent < 1000 && send_packet(here.get(), big.data(), big.size())) ++sent;
    EXPECT_LT(sent, 1000);
    EXPECT_EQ(errno, EAGAIN);
}

TEST_F(Packets, GreetingBothWays) {
    std::thread server([this] {
        Hello hello{};
        EXPECT_EQ(receive_packet(there.get(), &hello, sizeof(hello), nullptr, 10'000),
                  static_cast<long>(sizeof(hello)));
        EXPECT_EQ(hello.magic, kMagic);
        EXPECT_EQ(hello.version, kVersion);
        EXPECT_EQ(hello.kind, PeerKind::kTool);
        EXPECT_EQ(hello.program[sizeof(hello.program) - 1], '\0');
        EXPECT_EQ(std::string(hello.program), std::string(63, 'n'));
        const Welcome welcome{kMagic, kVersion, sizeof(Welcome), WelcomeStatus::kFull, 5, 6, 7};
        EXPECT_TRUE(send_packet(there.get(), &welcome, sizeof(welcome)));
    });
    Welcome welcome{};
    EXPECT_TRUE(shake_hands(here.get(), PeerKind::kTool, std::string(200, 'n').c_str(), &welcome, nullptr, 10'000));
    EXPECT_EQ(welcome.status, WelcomeStatus::kFull);
    EXPECT_EQ(welcome.client_id, 5U);
    server.join();
}

TEST_F(Packets, GreetingAServerThatSendsSomethingElse) {
    ASSERT_TRUE(send_packet(there.get(), "HTTP/1.1 400", 12, there.get()));
    Welcome welcome{};
    int fd = 77;
    EXPECT_FALSE(shake_hands(here.get(), PeerKind::kClient, "x", &welcome, &fd, 1000));
    EXPECT_EQ(fd, -1);
}

TEST_F(Packets, GreetingASilentServerEndsInTime) {
    Welcome welcome{};
    EXPECT_FALSE(shake_hands(here.get(), PeerKind::kClient, "x", &welcome, nullptr, 30));
    EXPECT_EQ(errno, ETIMEDOUT);
}

TEST(Welcome, EveryStatusHasItsOwnSentence) {
    std::set<std::string> sentences;
    for (uint32_t status = 0; status <= static_cast<uint32_t>(WelcomeStatus::kNoMemory) + 1; ++status)
        EXPECT_TRUE(sentences.insert(welcome_sentence(static_cast<WelcomeStatus>(status))).second) << status;
}

}  // namespace
}  // namespace xsched::ipc
