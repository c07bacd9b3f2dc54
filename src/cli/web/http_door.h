// A small HTTP/1.1 server for tools and one page. It listens at several places and serves several connections, with one
// request each, and bounds their number, size and time. One thread waits in poll. An answer that has to wait for
// xserver is prepared on a thread of its own, so that it delays no other.
//
// It runs in a process of its own, so its clients cannot delay scheduling. Streams are answers without end (server-sent
// events); a stream whose reader is too slow is closed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/no_copies.h"
#include "cli/web/http_place.h"
#include "cli/web/http_request.h"

namespace xsched::cli {

class HttpDoor : base::NoCopies {
public:
    using Answer = std::function<HttpAnswer(const HttpRequest&)>;

    HttpDoor();
    ~HttpDoor();  // waits for what is being worked out

    void add(std::vector<HttpPlace>&& places) {
        for (HttpPlace& place : places) places_.push_back(std::move(place));
    }
    // Serves until SIGTERM or SIGINT.
    void serve(const Answer& answer);

    // Any thread.
    size_t streams() const { return streams_.load(); }
    void tell_streams(std::string text);

private:
    enum class Step { kReading, kWorking, kWriting, kStreaming, kDraining };
    struct Connection {
        uint64_t number = 0;
        base::UniqueFd socket;
        const HttpPlace* place = nullptr;
        uint64_t peer = 0;  // as peer_of says
        int64_t until_ns = 0;  // the connection is closed at this time
        Step step = Step::kReading;
        std::string in;
        std::string out;
        bool head_alone = false;  // send no body: the caller relays the answer without one
        bool rest_unread = false;  // part of the request is unread; closing now would lose the answer
        bool over = false;
    };
    // An answer that is being prepared.
    struct Job {
        uint64_t connection = 0;
        std::function<HttpAnswer()> work;
        HttpAnswer answer;  // once it is done
        std::atomic<bool> done{false};
        std::thread thread;
    };

    void accept_from(const HttpPlace& place);
    bool make_room(uint64_t peer);
    void hear(Connection& connection, const Answer& answer);
    void hear_more(Connection& connection, const HttpRequest& request);
    void begin_answer(Connection& connection, const HttpAnswer& given, bool rest_unread);
    void write_some(Connection& connection);
    void let_go(int64_t now_ns);
    void begin_work(Connection& connection, std::function<HttpAnswer()>&& work);
    void take_work();
    void take_told();
    void count_streams();

    std::vector<HttpPlace> places_;
    std::list<Connection> connections_;
    uint64_t last_number_ = 0;
    std::list<Job> jobs_;
    base::UniqueFd wake_;  // an eventfd: a job is done, or streams have news
    std::mutex told_mutex_;
    std::vector<std::string> told_;
    std::atomic<size_t> streams_{0};
};

// Returns the answer to a request that would need a thread when the system has none left.
HttpAnswer no_thread_refusal();

// Answers a whole request, after the guard has checked it. Never throws.
HttpAnswer judge_request(const HttpRequest& request, bool is_port, const std::string& token,
                         const HttpDoor::Answer& answer);

}  // namespace xsched::cli
