// The tools' connections: one request at a time from each, users in turn, and no more answers than are read. Front
// thread.
//
// A user whose requests have taken much time comes after those whose have not. A tool's next request is left unread
// until its last answer has left; one that does not read for two seconds while it asks for more is let go. A long
// answer is a file in our memory: it counts until the tool asks again or goes, and is emptied then by the undertaker,
// whoever still holds it. A tool whose user has no room for its answer until then waits for that.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/unique_fd.h"
#include "ipc/protocol.h"
#include "server/event_loop.h"
#include "server/limits/users.h"
#include "server/tools/tools.h"
#include "server/undertaker/undertaker.h"

namespace xsched::server {

class ToolDesk {
public:
    ToolDesk(ToolHost& host, EventLoop& events, Undertaker& undertaker);

    // Accepted, or why not. Takes the connection and its charge, unless it is not accepted, or gone.
    ipc::WelcomeStatus admit(uint32_t id, base::UniqueFd& socket, const Peer& peer, User& user, Charge&& descriptors,
                             int64_t now_ns);
    // Something came from this one.
    void hear(uint32_t id, int64_t now_ns);
    // The undertaker has emptied an answer: there may be room for another.
    void has_emptied();
    // Answers some of what was asked, for some milliseconds at most.
    void serve(int64_t now_ns);

    bool empty() const { return tools_.empty(); }
    bool has(uint32_t id) const { return tools_.contains(id); }
    // When serve() must be called at the latest; 0: no need.
    int64_t due_ns() const;

private:
    struct Tool {
        base::UniqueFd socket;
        Peer peer;
        User* user;
        Charge place;
        Charge descriptors;
        int64_t used_ns;  // when it asked last
        Charge unread;  // of its last answer,
        base::UniqueFd answer;  // which is in this file, if it is long
        Charge answer_descriptor;
        int64_t answered_ns = 0;
        int64_t unread_since_ns = 0;  // it asks for more and has not read; 0: not so
        bool asks = false;  // `request` must be answered
        std::string request;
        std::string next_answer;  // waits until an answer of its user has been emptied
    };
    using Tools = std::map<uint32_t, Tool>;

    bool make_room(User& user);
    void take_request(uint32_t id, Tool& tool);
    Tools::iterator next_in_turn();
    void answer(Tools::iterator at);
    bool account(Tool& tool, size_t bytes, int64_t now_ns);
    void take_back(Tool& tool);
    static bool is_over(const Tool& tool, int64_t now_ns);
    void look_again(int64_t now_ns);
    void drop(Tools::iterator at);

    ToolHost& host_;
    EventLoop& events_;
    Undertaker& undertaker_;
    Tools tools_;
    size_t asking_ = 0;  // tools with a request
    size_t unread_ = 0;  // tools that ask for more and have not read
    int64_t virtual_ns_ = 0;  // the service that a user has had who begins to ask now
    int64_t look_again_ns_ = 0;
};

}  // namespace xsched::server
