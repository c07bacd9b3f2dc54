// The token of xcli web's ports: who learns it, for how long it counts, and what leads to nothing without it. The
// page's side: tests/web/token_test.py.
#include <sys/socket.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "base/time.h"
#include "cli/web/http_proof.h"
#include "cli/web_rig.h"

namespace xsched::test {
namespace {

// Returns the content of a token file; empty: there is none.
std::string token_in(const std::string& file) {
    std::string token;
    std::ifstream(file) >> token;
    return token;
}

TEST_F(Web, EachStartHasATokenOfItsOwnForThisUserAlone) {
    const std::string file = directory / "token";
    const std::string earlier = "0123456789abcdef";
    std::ofstream(file) << earlier << "\n";
    ASSERT_EQ(chmod(file.c_str(), 0666), 0);
    for (std::string before = earlier; const char* start : {"first", "second"}) {
        Process second({binary("xcli"), "web", "--listen", "127.0.0.1:0", "--token-file", file},
                       directory.environment());
        ASSERT_TRUE(second.wait_for_output("(token: " + file + ")")) << second.err();
        EXPECT_FALSE(has(second.out(), "#token="));
        struct stat info{};
        ASSERT_EQ(stat(file.c_str(), &info), 0);
        EXPECT_EQ(info.st_mode & 0777U, 0600U) << start;
        const std::string fresh = token_in(file);
        EXPECT_EQ(fresh.size(), 32U) << "128 bits";
        EXPECT_NE(fresh, before) << start;
        port = std::stoi(second.out().substr(second.out().find("127.0.0.1:") + 10));
        EXPECT_EQ(ask_port("Authorization: Bearer " + before + "\r\n").status, 401) << start;
        EXPECT_EQ(ask_port("Authorization: Bearer " + fresh + "\r\n").status, 200) << start;
        kill(second.pid(), SIGTERM);
        EXPECT_EQ(second.wait(), 0);
        EXPECT_NE(access(file.c_str(), F_OK), 0) << "the file goes with the token";
        before = fresh;
    }
    Process third({binary("xcli"), "web", "--listen", "127.0.0.1:0", "--json"}, directory.environment());
    ASSERT_TRUE(third.wait_for_output("\n")) << third.err();
    const Json place = Json::parse(third.out())["places"][0];
    EXPECT_EQ(place["url"], "http://" + place["listen"].get<std::string>() + "/");
    EXPECT_EQ(place["token"].get<std::string>().size(), 32U) << "128 bits";
}

TEST_F(Web, AFileThatHoldsNoTokenIsNotReplaced) {
    const std::string file = directory / "notes";
    for (const std::string& text :
         {std::string("a thesis\n"), std::string(32, 'a') + "\nmore\n", std::string(5000, 'a')}) {
        std::ofstream(file) << text;
        expect_sentence({"web", "--listen", "127.0.0.1:0", "--token-file", file}, "holds something else than a token");
        EXPECT_EQ(std::ifstream(file).seekg(0, std::ios::end).tellg(), static_cast<std::streamoff>(text.size()));
    }
    expect_sentence({"web", "--listen", "127.0.0.1:0", "--token-file", "/dev/null"}, "is no file");
    expect_sentence({"web", "--listen", "127.0.0.1:0", "--token-file", directory / "no/token"},
                    "cannot write a token into");
    std::ofstream(file) << "a thesis";
    const std::string link = directory / "link";
    ASSERT_EQ(symlink(file.c_str(), link.c_str()), 0);
    Process linked({binary("xcli"), "web", "--listen", "127.0.0.1:0", "--token-file", link}, directory.environment());
    ASSERT_TRUE(linked.wait_for_output("token:")) << linked.err();
    EXPECT_EQ(token_in(link).size(), 32U);
    EXPECT_EQ(token_in(file), "a") << "what a link leads to stays as it is";
}

TEST_F(Web, APlaceThatIsTakenIsAnError) {
    expect_sentence({"web", "--listen", "0.0.0.0:80"}, "is no place to listen");
    expect_sentence({"web", "--listen", "http://127.0.0.1:9555"}, "is no place to listen");
    expect_sentence({"web", "--listen", "127.0.0.1:9555/"}, "has no port");
    expect_sentence({"web", "--listen", door()}, "another process listens at");
    const std::string file = directory / "token";
    expect_sentence({"web", "--listen", "127.0.0.1:" + std::to_string(port), "--token-file", file},
                    "another process listens there");
    EXPECT_NE(access(file.c_str(), F_OK), 0) << "no token is told for a place that is another's";
}

// Browsers and tools take localhost for either.
TEST_F(Web, LocalhostOfBothFamiliesIsItsOwn) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_addr = in6addr_loopback;
    const base::UniqueFd taker(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    auto* target = reinterpret_cast<sockaddr*>(&address);
    socklen_t bytes = sizeof(address);
    if (!taker || bind(taker.get(), target, bytes) != 0) GTEST_SKIP() << "this machine has no IPv6";
    ASSERT_EQ(listen(taker.get(), 1), 0);
    ASSERT_EQ(getsockname(taker.get(), target, &bytes), 0);
    expect_sentence({"web", "--listen", "127.0.0.1:" + std::to_string(ntohs(address.sin6_port))}, "or at [::1]");
    address.sin6_port = htons(static_cast<uint16_t>(port));
    const base::UniqueFd late(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_NE(bind(late.get(), target, bytes), 0) << "nobody else has it";
    const base::UniqueFd asking = connected(AF_INET6, target, bytes);
    const std::string said = "Host: [::1]:" + std::to_string(port) + "\r\nAuthorization: Bearer " + token;
    EXPECT_EQ(parsed(everything_after(asking.get(), "GET /api/v1/status HTTP/1.1\r\n" + said + "\r\n\r\n")).status,
              200);
}

// Neither another way to write a path nor another method leads around the token.
TEST_F(Web, NoOtherPathOrMethodLeadsToWhatIsSecret) {
    for (const char* path : {"//api/v1/status", "/./api/v1/status", "/%61pi/v1/status", "/API/v1/status", "/api",
                             "/x/../api/v1/status", "/api/v1/proof/../status", "/api/v1/proof/", "/api/v1/status;x",
                             "/metrics/", "/metrics%00", "/METRICS", "/api\\v1\\status", "/api/v1/status#x"}) {
        const Answer answer = parsed(everything_after(connect_port(port).get(), request_text("GET", path, "", "")));
        EXPECT_TRUE(answer.status == 401 || answer.status == 404) << path << answer.body;
    }
    for (const char* method : {"HEAD", "OPTIONS", "TRACE", "get", "PROPFIND", "POST"}) {
        const std::string text =
            everything_after(connect_port(port).get(), request_text(method, "/api/v1/status", "", ""));
        EXPECT_TRUE(text.starts_with("HTTP/1.1 401")) << method << text;
        EXPECT_FALSE(has(text, "trainer")) << method;
    }
    const std::string head = everything_after(connect_unix(door()).get(), "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_TRUE(head.starts_with("HTTP/1.1 405") && head.ends_with("\r\n\r\n")) << "no body: " << head;
    const std::string upgrade =
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
    EXPECT_EQ(ask("GET", "/api/v1/status", "", upgrade).status, 200) << "an ordinary request";
    EXPECT_EQ(ask("GET", "/api/v1/status", "", upgrade + "Origin: http://evil.example\r\n").status, 403);
}

// A request without the token is refused before its body (up to 64 KiB) has arrived.
TEST_F(Web, TheBodyOfARefusedRequestIsNotWaitedFor) {
    const base::UniqueFd stranger = connect_port(port);
    ASSERT_TRUE(
        say(stranger.get(), "POST /api/v1/suspend HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n{"));
    EXPECT_EQ(parsed(hear(stranger.get(), "\n}\n")).status, 401);
    const base::UniqueFd owner = connect_unix(door());
    const std::string request = request_text("POST", "/api/v1/suspend", "{{{", "");
    ASSERT_TRUE(say(owner.get(), request.substr(0, request.size() - 1)));
    base::sleep_ns(50 * base::kMillisecond);
    EXPECT_TRUE(say(owner.get(), "{"));
    EXPECT_EQ(parsed(hear(owner.get())).status, 400) << "of whom may ask it is";
}

TEST_F(Web, TheServerShowsThatItKnowsTheToken) {
    const std::string nonce = "00112233445566778899aabbccddeeff";
    const std::string request = request_text("GET", "/api/v1/proof?nonce=" + nonce, "", "");
    const Answer answer = parsed(everything_after(connect_port(port).get(), request));
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.body["proof"], cli::proof_of(token, nonce));
    EXPECT_EQ(parsed(everything_after(connect_unix(door()).get(), request)).body["proof"], "") << "it asks for none";
}

}  // namespace
}  // namespace xsched::test
