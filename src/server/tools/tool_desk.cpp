#include "server/tools/tool_desk.h"

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "server/clients/handshake.h"
#include "server/clients/incoming.h"
#include "server/source.h"

namespace xsched::server {
namespace {

constexpr int64_t kTurnNs = 5 * base::kMillisecond;  // longest turn; after it other events are served
constexpr int64_t kUnreadPatienceNs = 2 * base::kSecond;
constexpr int64_t kLookAgainNs = 10 * base::kMillisecond;

}  // namespace

ToolDesk::ToolDesk(ToolHost& host, EventLoop& events, Undertaker& undertaker)
    : host_(host), events_(events), undertaker_(undertaker) {}

ipc::WelcomeStatus ToolDesk::admit(uint32_t id, base::UniqueFd& socket, const Peer& peer, User& user,
                                   Charge&& descriptors, int64_t now_ns) {
    auto place = user.charge(Limit::kTools);
    if (!place && make_room(user)) place = user.charge(Limit::kTools);
    if (!place) return ipc::WelcomeStatus::kUserFull;
    if (!send_welcome(socket.get(), id)) return ipc::WelcomeStatus::kAccepted;
    if (!events_.watch(socket.get(), token(Source::kTool, id))) return ipc::WelcomeStatus::kNoMemory;
    user.virtual_ns = std::max(user.virtual_ns, virtual_ns_);
    Tool tool{.socket = std::move(socket),
              .peer = peer,
              .user = &user,
              .place = std::move(*place),
              .descriptors = std::move(descriptors),
              .used_ns = now_ns};
    tools_.emplace(id, std::move(tool));
    return ipc::WelcomeStatus::kAccepted;
}

// Makes room for another tool of the user: the one that has asked for nothing for the longest time is let go.
bool ToolDesk::make_room(User& user) {
    auto oldest = tools_.end();
    for (auto at = tools_.begin(); at != tools_.end(); ++at) {
        const Tool& tool = at->second;
        if (tool.user != &user || tool.asks || tool.unread_since_ns != 0) continue;
        if (oldest == tools_.end() || tool.used_ns < oldest->second.used_ns) oldest = at;
    }
    if (oldest == tools_.end()) return false;
    drop(oldest);
    return true;
}

void ToolDesk::hear(uint32_t id, int64_t now_ns) {
    const auto found = tools_.find(id);
    if (found == tools_.end() || found->second.asks || !found->second.next_answer.empty()) return;
    Tool& tool = found->second;
    switch (look_at_incoming(tool.socket.get())) {
        case Incoming::kNothing: return events_.rearm(tool.socket.get(), token(Source::kTool, id));
        case Incoming::kEnd:
        case Incoming::kDescriptors: return drop(found);
        case Incoming::kPlain: break;
    }
    tool.used_ns = now_ns;
    if (has_read_all(tool.socket.get())) return take_request(id, tool);
    if (tool.unread_since_ns == 0) {
        tool.unread_since_ns = now_ns;
        ++unread_;
    }
    if (look_again_ns_ == 0) look_again_ns_ = now_ns + kLookAgainNs;
}

void ToolDesk::take_request(uint32_t id, Tool& tool) {
    take_back(tool);
    tool.request.resize(ipc::kMostPacketBytes);
    const long bytes = ipc::receive_packet(tool.socket.get(), tool.request.data(), tool.request.size(), nullptr, 0);
    const bool too_long = bytes < 0 && errno == EMSGSIZE;
    if (bytes < 0 && !too_long) return drop(tools_.find(id));
    tool.request.resize(too_long ? 0 : static_cast<size_t>(bytes));
    tool.asks = true;
    ++asking_;
    tool.user->virtual_ns = std::max(tool.user->virtual_ns, virtual_ns_);
}

void ToolDesk::serve(int64_t now_ns) {
    look_again(now_ns);
    for (int64_t now = now_ns; asking_ > 0 && now - now_ns < kTurnNs; now = base::now_ns()) {
        const auto at = next_in_turn();
        User& user = *at->second.user;
        virtual_ns_ = user.virtual_ns;
        const int64_t began = base::now_ns();
        answer(at);
        user.virtual_ns += base::now_ns() - began;
    }
}

ToolDesk::Tools::iterator ToolDesk::next_in_turn() {
    auto next = tools_.end();
    for (auto at = tools_.begin(); at != tools_.end(); ++at) {
        if (!at->second.asks) continue;
        if (next == tools_.end() || at->second.user->virtual_ns < next->second.user->virtual_ns) next = at;
    }
    return next;
}

void ToolDesk::answer(Tools::iterator at) {
    Tool& tool = at->second;
    tool.asks = false;
    --asking_;
    const Asking asking{tool.peer, *tool.user, tool.socket.get()};
    std::string answer =
        tool.next_answer.empty() ? answer_tool(host_, asking, tool.request) : std::exchange(tool.next_answer, {});
    tool.request = {};
    if (!account(tool, answer.size(), base::now_ns())) {
        if (undertaker_.empties_for(tool.user->uid())) {
            tool.next_answer = std::move(answer);
            return;
        }
        answer = refusal("your tools have more answers unread than they may (" +
                         std::to_string(tool.user->most(Limit::kAnswerBytes)) + " bytes): let them read, or end them");
    }
    if (!send_answer(tool.socket.get(), answer, tool.answer)) return drop(at);
    tool.answered_ns = base::now_ns();
    events_.rearm(tool.socket.get(), token(Source::kTool, at->first));
}

// Charges an answer to the tool's user. Charges of answers that were read meanwhile are returned only when room is
// needed.
bool ToolDesk::account(Tool& tool, size_t bytes, int64_t now_ns) {
    const auto amount = static_cast<int64_t>(bytes);
    if (bytes > ipc::kMostPacketBytes) {
        auto descriptor = tool.user->charge(Limit::kDescriptors);
        if (!descriptor) return false;
        tool.answer_descriptor = std::move(*descriptor);
    }
    auto charge = tool.user->charge(Limit::kAnswerBytes, amount);
    if (!charge) {
        for (auto& [id, other] : tools_)
            if (other.user == tool.user && is_over(other, now_ns)) take_back(other);
        charge = tool.user->charge(Limit::kAnswerBytes, amount);
    }
    if (charge) tool.unread = std::move(*charge);
    return charge.has_value();
}

// Returns whether the tool has read all of the socket. If the answer is in a file, the time to read the file must be
// over too.
bool ToolDesk::is_over(const Tool& tool, int64_t now_ns) {
    return has_read_all(tool.socket.get()) && (!tool.answer || now_ns - tool.answered_ns >= kUnreadPatienceNs);
}

void ToolDesk::take_back(Tool& tool) {
    std::vector<Charge> charges;
    charges.push_back(std::exchange(tool.unread, {}));
    charges.push_back(std::exchange(tool.answer_descriptor, {}));
    if (tool.answer) undertaker_.empty(tool.user->uid(), std::move(tool.answer), std::move(charges));
}

void ToolDesk::has_emptied() {
    for (auto& [id, tool] : tools_) {
        if (tool.next_answer.empty() || tool.asks) continue;
        tool.asks = true;
        ++asking_;
    }
}

void ToolDesk::look_again(int64_t now_ns) {
    if (look_again_ns_ == 0 || now_ns < look_again_ns_) return;
    look_again_ns_ = 0;
    for (auto at = tools_.begin(); at != tools_.end();) {
        const auto here = at++;
        Tool& tool = here->second;
        if (tool.unread_since_ns == 0) continue;
        if (has_read_all(tool.socket.get())) {
            tool.unread_since_ns = 0;
            --unread_;
            take_request(here->first, tool);
        } else if (now_ns - tool.unread_since_ns >= kUnreadPatienceNs) {
            if (tool.user->may_log(now_ns))
                XLOG_INFO("a tool of pid %d asks and does not read the answers: disconnected", tool.peer.pid);
            drop(here);
        }
    }
    if (unread_ > 0) look_again_ns_ = now_ns + kLookAgainNs;
}

void ToolDesk::drop(Tools::iterator at) {
    if (at == tools_.end()) return;
    Tool& tool = at->second;
    if (tool.asks) --asking_;
    if (tool.unread_since_ns != 0) --unread_;
    take_back(tool);
    events_.forget(tool.socket.get());
    undertaker_.bury(tool.user->uid(), std::move(tool.socket));
    tools_.erase(at);
}

int64_t ToolDesk::due_ns() const { return asking_ > 0 ? 1 : look_again_ns_; }

}  // namespace xsched::server
