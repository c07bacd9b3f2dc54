#include "cli/server_link.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "base/time.h"
#include "ipc/protocol.h"

namespace xsched::cli {
namespace {

// How long to wait for an answer. A server answers within a millisecond; one that is stopped (SIGSTOP, swap) must not
// hang its tools forever.
int g_patience_ms = 5000;

// A list of a server that has just been started again lacks programs (server/returning.h).
constexpr int64_t kLookAgainNs = 20 * base::kMillisecond;  // "judgement": programs are back after 50 ms, as measured

class WentAway : public NoServer {
public:
    explicit WentAway(const std::string& path) : NoServer("the xserver at " + path + " went away: start it again") {}
};

// After a call on a connection has failed: returns whether the process at the other end is gone.
bool has_died() { return errno == ECONNRESET || errno == EPIPE; }

std::string read_file(int fd, uint64_t bytes) {
    std::string text(bytes, '\0');
    size_t done = 0;
    while (done < bytes) {
        const ssize_t part = pread(fd, text.data() + done, bytes - done, static_cast<off_t>(done));
        if (part <= 0) break;
        done += static_cast<size_t>(part);
    }
    text.resize(done);
    return text;
}

// Returns what to do about a server that cannot be reached. `error`: of connect_server.
const char* remedy_for(int error) {
    switch (error) {
        case EACCES:
        case EPERM: return "ask its owner, or set XSCHED_SOCKET to another server's socket";
        case ENAMETOOLONG: return "set XSCHED_SOCKET to a shorter path";
        case EAGAIN: return "it is stopped or overloaded, try again";
        default: return "start a program with 'xcli run', or start 'xserver'";
    }
}

}  // namespace

void wait_for_server_ms(int ms) { g_patience_ms = ms; }

ServerLink::ServerLink() {
    char path[ipc::kSocketPathBytes];
    socket_.reset(ipc::connect_server(path));
    const int error = errno;
    path_ = path;
    if (!socket_)
        throw NoServer("no xserver answers" + (path_.empty() ? "" : " at " + path_) + ": " + remedy_for(error));
    shake_hands();
}

ServerLink::ServerLink(base::UniqueFd socket, std::string path) : socket_(std::move(socket)), path_(std::move(path)) {
    shake_hands();
}

void ServerLink::shake_hands() {
    ipc::Welcome welcome{};
    const auto shake = [&] {
        return ipc::shake_hands(socket_.get(), ipc::PeerKind::kTool, "xcli", &welcome, nullptr, g_patience_ms);
    };
    if (!shake() && (!has_died() || !connect_again() || !shake()))
        throw NoServer("the xserver at " + path_ + " does not answer the handshake (" + strerror(errno) +
                       "): is it stopped, or another version? Restart it");
    char text[ipc::kRefusalBytes];
    if (welcome.status != ipc::WelcomeStatus::kAccepted)
        throw NoServer(path_ + ": " + ipc::refusal_sentence(welcome, text));
}

// Connects to the successor of a server that died. Returns false if there is none.
bool ServerLink::connect_again() {
    socket_.reset(ipc::connect_path(path_.c_str()));
    return static_cast<bool>(socket_);
}

namespace {

// Makes names in an answer safe to print: other users chose them. The server does that, too, but may be older or
// another user's.
void make_harmless(Json& answer) {
    if (answer.is_string()) {
        auto& text = answer.get_ref<std::string&>();
        base::replace_controls(text.data(), text.size());
    } else if (answer.is_structured()) {
        for (Json& part : answer) make_harmless(part);
    }
}

}  // namespace

Json ServerLink::ask(const Json& request) {
    const std::string text = request.dump(-1, ' ', false, Json::error_handler_t::replace);
    const int64_t until_ns = base::now_ns() + g_patience_ms * base::kMillisecond;
    Json answer = ask_server(text);
    while (answer.value("some_return", false) && base::now_ns() < until_ns) {
        base::sleep_ns(kLookAgainNs);
        answer = ask_server(text);
    }
    answer.erase("some_return");
    if (answer["ok"].get<bool>()) return answer;
    const std::string kind = answer.value("kind", "");
    throw Refusal(answer.value("error", std::string("refused without a reason")), kind == "usage"    ? kUsage
                                                                                  : kind == "nobody" ? kNobody
                                                                                                     : kRefused);
}

// Asks the successor if the server has died before its first answer. Later answers may refer to earlier ones.
Json ServerLink::ask_server(const std::string& request) {
    const bool is_first = !std::exchange(asked_, true);
    try {
        return ask_once(request);
    } catch (const WentAway&) {
        if (!is_first || !connect_again()) throw;
    }
    shake_hands();
    return ask_once(request);
}

Json ServerLink::ask_once(const std::string& request) {
    if (!ipc::send_packet(socket_.get(), request.data(), request.size())) throw WentAway(path_);
    std::string packet(ipc::kMostPacketBytes, '\0');
    int fd = -1;
    const long bytes = ipc::receive_packet(socket_.get(), packet.data(), packet.size(), &fd, g_patience_ms);
    const base::UniqueFd file(fd);
    if (bytes == 0 || (bytes < 0 && has_died())) throw WentAway(path_);
    if (bytes < 0) throw NoServer("the xserver at " + path_ + " does not answer: is it stopped?");
    packet.resize(static_cast<size_t>(bytes));
    Json answer = Json::parse(packet, nullptr, false);
    if (file && answer.is_object()) {
        const uint64_t length = answer.value("bytes", uint64_t{0});
        const std::string whole = read_file(file.get(), std::min<uint64_t>(length, ipc::kMostAnswerBytes));
        if (whole.size() < length)
            throw NoServer("the xserver at " + path_ +
                           " took its long answer back, which was not read for 2 s: ask again");
        answer = Json::parse(whole, nullptr, false);
    }
    if (!answer.is_object() || !answer.contains("ok") || !answer["ok"].is_boolean())
        throw NoServer("the xserver at " + path_ +
                       " sent an answer that is not understood: use the same version of both");
    make_harmless(answer);
    return answer;
}

Json ask_all(ServerLink& link, Json request, const char* member) {
    Json whole = link.ask(request);
    for (Json page = whole; page.contains("next");) {
        request["cursor"] = page["next"];
        page = link.ask(request);
        for (Json& entry : page[member]) whole[member].push_back(std::move(entry));
    }
    whole.erase("next");
    return whole;
}

}  // namespace xsched::cli
