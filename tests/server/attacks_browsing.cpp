// Attacks over HTTP, at the port that xserver serves beside its socket.
#include "server/attack_parts.h"

namespace xsched::test {
namespace {

constexpr int64_t kPatienceUs = 200'000;  // for an answer, so that no attacker stands still

// Connects to the server's HTTP port. Closing the connection resets it, so that the attacker's local ports are free
// again at once.
base::UniqueFd connect_web() {
    base::UniqueFd connection(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(g_web_port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{0, kPatienceUs};
    const linger at_once{1, 0};
    setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(connection.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    setsockopt(connection.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    if (connect(connection.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) return connection;
    usleep(1000);
    return {};
}

bool say(const base::UniqueFd& connection, const std::string& text) {
    return send(connection.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

// Sends the text in a connection of its own, and reads the answer.
void ask_web(const std::string& text) {
    const base::UniqueFd connection = connect_web();
    char room[4096];
    if (connection && say(connection, text))
        while (recv(connection.get(), room, sizeof(room), 0) > 0) {
        }
}

std::string get(const std::string& path, const std::string& more = "") {
    return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + more + "\r\n";
}

// Requests that come letter by letter.
XSCHED_ATTACK(kBrowsing, slow_requests, 1, "200 requests over HTTP that come letter by letter") {
    struct Slow {
        base::UniqueFd connection;
        size_t said = 0;
    };
    static std::array<Slow, kKept> all;
    const std::string text = get("/api/v1/status", "X-Long: " + std::string(4000, 'x') + "\r\n");
    without_end(ready, [&](unsigned i) {
        Slow& slow = all[i % all.size()];
        if (!slow.connection) slow = {connect_web(), 0};
        if (!say(slow.connection, text.substr(slow.said++ % text.size(), 1))) slow.connection.reset();
        if (i % all.size() == 0) usleep(20'000);
    });
}

// Connections that say nothing, and end by a reset.
XSCHED_ATTACK(kBrowsing, half_open, 1, "connections over HTTP that say nothing") { pile_up(ready, connect_web); }

// Bodies and headers whose lengths are lies, or too large.
XSCHED_ATTACK(kBrowsing, long_bodies, 1, "requests over HTTP whose lengths are lies") {
    const auto post = [](const std::string& headers, const std::string& body) {
        return "POST /api/v1/hints HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + headers +
               "\r\n" + body;
    };
    const std::string texts[] = {
        post("Content-Length: 999999999999999999999\r\n", std::string(60'000, 'x')),
        post("Content-Length: -1\r\n", "{}"),
        post("Content-Length: 5\r\nContent-Length: 50000\r\n", "{}"),
        post("Transfer-Encoding: chunked\r\n", "ffffffffffffffff\r\n" + std::string(1000, 'x')),
        post("Content-Length: 60000\r\n", std::string(60'000, '[')),
        get("/", "X: " + std::string(100'000, 'y') + "\r\n"),
        get("/" + std::string(8000, 'z')),
        get("/",
            [] {
                std::string many;
                for (int i = 0; i < 1000; ++i) many += "A" + std::to_string(i) + ": b\r\n";
                return many;
            }()),
    };
    without_end(ready, [&](unsigned i) { ask_web(texts[i % std::size(texts)]); });
}

// Methods, paths, hosts and protocols of others.
XSCHED_ATTACK(kBrowsing, strange_requests, 2, "requests over HTTP of other methods, paths, hosts and protocols") {
    const std::string texts[] = {
        get("/../../../etc/passwd"),
        get("/%2e%2e/%2e%2e/etc/shadow"),
        get("/api/v1/status?token=" + std::string(32, '0')),
        get("/api/v1/live", "Authorization: Bearer " + std::string(32, '0') + "\r\n"),
        "HEAD /api/v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n",
        "GET /api/v1/status HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        get("/", "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n"),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + std::string(500, '\0'),
        "PUT /api/v1/policy HTTP/1.1\r\nHost: localhost\r\nContent-Length: 14\r\n\r\n{\"name\":\"CFS\"}",
    };
    without_end(ready, [&](unsigned i) { ask_web(texts[i % std::size(texts)]); });
}

// Asks for proofs (api/v1/proof): the requests that need no token and cost the server most.
XSCHED_ATTACK(kBrowsing, proofs, 1, "proofs that the web server is the user's, asked for four at a time") {
    for (int i = 0; i < 3 && fork() != 0; ++i) {
    }
    const std::string text = get("/api/v1/proof?nonce=" + std::string(128, 'a'));
    without_end(ready, [&](unsigned) { ask_web(text); });
}

// Answers that are asked for and never read.
XSCHED_ATTACK(kBrowsing, unread_answers, 1, "answers over HTTP that are never read") {
    const std::string text = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    pile_up(ready, [&] {
        base::UniqueFd connection = connect_web();
        for (int i = 0; i < 200 && connection; ++i)
            if (send(connection.get(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL) <= 0) break;
        return connection;
    });
}

}  // namespace

}  // namespace xsched::test
