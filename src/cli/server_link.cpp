#include "cli/server_link.h"

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "ipc/protocol.h"

namespace xsched::cli {
namespace {

// How long to wait for an answer. A server answers within a millisecond; one that is stopped (SIGSTOP, swap) must not
// hang its tools forever.
int g_patience_ms = 5000;

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

}  // namespace

void wait_for_server_ms(int ms) { g_patience_ms = ms; }

ServerLink::ServerLink() {
    char path[ipc::kSocketPathBytes];
    socket_.reset(ipc::connect_server(path));
    path_ = path;
    if (!socket_)
        throw NoServer("no xserver answers" + (path_.empty() ? "" : " at " + path_) +
                       ": start a program with 'xcli run', or start 'xserver'");
    shake_hands();
}

ServerLink::ServerLink(base::UniqueFd socket, std::string path) : socket_(std::move(socket)), path_(std::move(path)) {
    shake_hands();
}

void ServerLink::shake_hands() {
    ipc::Welcome welcome{};
    if (!ipc::shake_hands(socket_.get(), ipc::PeerKind::kTool, "xcli", &welcome, nullptr, g_patience_ms))
        throw NoServer("the xserver at " + path_ + " does not answer the handshake (" + strerror(errno) +
                       "): is it stopped, or another version? Restart it");
    char text[ipc::kRefusalBytes];
    if (welcome.status != ipc::WelcomeStatus::kAccepted)
        throw NoServer(path_ + ": " + ipc::refusal_sentence(welcome, text));
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
    if (!ipc::send_packet(socket_.get(), text.data(), text.size()))
        throw NoServer("the xserver at " + path_ + " went away: start it again");
    std::string packet(ipc::kMostPacketBytes, '\0');
    int fd = -1;
    const long bytes = ipc::receive_packet(socket_.get(), packet.data(), packet.size(), &fd, g_patience_ms);
    const base::UniqueFd file(fd);
    if (bytes <= 0)
        throw NoServer("the xserver at " + path_ +
                       (bytes == 0 ? " went away: start it again" : " does not answer: is it stopped?"));
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
    if (answer["ok"].get<bool>()) return answer;
    const std::string kind = answer.value("kind", "");
    throw Refusal(answer.value("error", std::string("refused without a reason")), kind == "usage"    ? kUsage
                                                                                  : kind == "nobody" ? kNobody
                                                                                                     : kRefused);
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
