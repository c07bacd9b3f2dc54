// The tools' connections. Takes one request at a time from each, serves users in turn, and limits answers that are not
// read. Front thread.
//
// A user whose requests took much time is served after others. A tool's next request is read only when its last answer
// has left. A tool that does not read for two seconds while it asks for more is let go. A long answer is a file in the
// server's memory, charged to the user until the tool asks again or leaves. Then the undertaker empties the file, even
// if the tool still holds it. A tool whose user has no room for its answer waits for that.
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

    // Admits a tool, or returns why not. Takes over the connection and its charge if the tool is admitted, or if it is
    // gone.
    ipc::WelcomeStatus admit(uint32_t id, base::UniqueFd& socket, const Peer& peer, User& user, Charge&& descriptors,
                             int64_t now_ns);
    // Handles what came from the tool `id`.
    void hear(uint32_t id, int64_t now_ns);
    // Notes that the undertaker has emptied an answer, so there may be room for another.
    void has_emptied();
    // Answers waiting requests, for some milliseconds at most.
    void serve(int64_t now_ns);

    bool empty() const { return tools_.empty(); }
    bool has(uint32_t id) const { return tools_.contains(id); }
    // Returns when serve() must be called at the latest; 0: no need.
    int64_t due_ns() const;

private:
    struct Tool {
        base::UniqueFd socket;
        Peer peer;
        User* user;
        Charge place;
        Charge descriptors;
        int64_t used_ns;  // time of its last request
        Charge unread;  // charge of its last answer,
        base::UniqueFd answer;  // which lies in this file if it is long
        Charge answer_descriptor;
        int64_t answered_ns = 0;
        int64_t unread_since_ns = 0;  // since when it asks for more without reading; 0: it reads
        bool asks = false;  // `request` is not answered yet
        std::string request;
        std::string next_answer;  // waits until another answer of its user has been emptied
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
    size_t asking_ = 0;  // number of tools with a request
    size_t unread_ = 0;  // number of tools that ask for more without reading
    int64_t virtual_ns_ = 0;  // service that is assumed for a user who starts to ask now
    int64_t look_again_ns_ = 0;
};

}  // namespace xsched::server
