// A small HTTP/1.1 server for tools and one page: several places to listen at, several connections at a time, one
// request for each, with bounds on their number, size and time. One thread, which waits in poll.
//
// It is in a process of its own: whoever hangs on it keeps nobody from being scheduled. Streams are answers without an
// end (server-sent events); one whose reader is too slow is let go.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "cli/http_place.h"
#include "cli/http_request.h"

namespace xsched::cli {

class HttpDoor {
public:
    static constexpr size_t kMostConnections = 64;
    static constexpr size_t kMostStreams = 16;
    static constexpr size_t kMostUnread = 4 << 20;  // bytes that a stream's reader may be behind

    using Answer = std::function<HttpAnswer(const HttpRequest&)>;
    // Called now and then. Returns when next at the latest; 0: no need.
    using Tick = std::function<int64_t(int64_t now_ns)>;

    void add(HttpPlace&& place) { places_.push_back(std::move(place)); }
    // Until SIGTERM or SIGINT.
    void serve(const Answer& answer, const Tick& tick = {});

    // From within `answer` and `tick`.
    size_t streams() const;
    void tell_streams(const std::string& text);

private:
    enum class Step { kReading, kWriting, kStreaming, kDraining };
    struct Connection {
        base::UniqueFd socket;
        const HttpPlace* place = nullptr;
        int64_t until_ns = 0;  // it is let go then
        Step step = Step::kReading;
        std::string in;
        std::string out;
        bool rest_unread = false;  // of the request: closing would lose the answer
        bool over = false;
    };

    void accept_from(const HttpPlace& place);
    void make_room();
    void hear(Connection& connection, const Answer& answer);
    void begin_answer(Connection& connection, const HttpAnswer& given, bool rest_unread);
    void write_some(Connection& connection);
    void let_go(int64_t now_ns);

    std::vector<HttpPlace> places_;
    std::list<Connection> connections_;
};

// What is answered to a whole request, once the guard has looked at it. Never throws.
HttpAnswer judge_request(const HttpRequest& request, bool is_port, const std::string& token,
                         const HttpDoor::Answer& answer);

}  // namespace xsched::cli
