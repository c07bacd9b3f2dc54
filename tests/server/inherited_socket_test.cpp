// A listening socket that the service manager has opened (systemd's socket unit).
#include <sys/socket.h>
#include <sys/un.h>

#include "support/server_rig.h"

namespace xsched::test {
namespace {

// Listens at the path, as a socket unit does.
base::UniqueFd listen_at(const std::string& path) {
    base::UniqueFd fd(socket(AF_UNIX, SOCK_SEQPACKET, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, path.c_str(), path.size() + 1);
    EXPECT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(fd.get(), 16), 0);
    return fd;
}

TEST(InheritedSocket, IsServedAndStaysWhenTheServerEnds) {
    const PrivateDirectory directory;
    const base::UniqueFd manager = listen_at(directory.socket());
    const std::string start = "exec env LISTEN_PID=$$ LISTEN_FDS=1 " + binary("xserver") + " --no-supervise --socket " +
                              directory.socket() + " 3<&" + std::to_string(manager.get());
    Process server({"/bin/bash", "-c", start}, directory.environment());
    ASSERT_TRUE(server.wait_for_output("listening on")) << server.err();
    EXPECT_TRUE(answer_of_server(directory.socket(), {{"cmd", "server"}}).value("ok", false));
    kill(server.pid(), SIGTERM);
    EXPECT_EQ(server.wait(), 0);
    EXPECT_EQ(access(directory.socket().c_str(), F_OK), 0);
    EXPECT_TRUE(base::UniqueFd(ipc::connect_path(directory.socket().c_str())))
        << "a connection waits for the next server";
}

}  // namespace
}  // namespace xsched::test
