#include "cli/web/http_door.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <utility>

#include "base/clock.h"
#include "base/time.h"
#include "cli/stop_signals.h"
#include "cli/thread_start.h"
#include "cli/web/http_guard.h"
#include "cli/web/http_proof.h"
#include "cli/web/http_room.h"

namespace xsched::cli {
namespace {

constexpr size_t kMostConnections = 64;
constexpr size_t kMostStreams = 16;
constexpr size_t kMostUnread = 4 << 20;  // most bytes that a stream's reader may be behind
constexpr size_t kMostJobs = 32;  // most answers that are being prepared
constexpr int64_t kRequestNs = 2 * base::kSecond;  // for a request to come
constexpr int64_t kAnswerNs = 5 * base::kSecond;   // for an answer to be read
constexpr int64_t kDrainNs = base::kSecond;
constexpr int64_t kNoEndNs = INT64_MAX;
constexpr int kLongestWaitMs = 1000;
static_assert(kMostStreams < kMostConnections);  // so a connection without a stream can always make
                                                 // room

}  // namespace

HttpDoor::HttpDoor() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

HttpDoor::~HttpDoor() {
    for (Job& job : jobs_)
        if (job.thread.joinable()) job.thread.join();
}

HttpAnswer no_thread_refusal() {
    return http_refusal(
        503, "no thread can be started: raise the limit of processes (ulimit -u, pids.max), or ask again later",
        "no_server");
}

HttpAnswer judge_request(const HttpRequest& request, bool is_port, const std::string& token,
                         const HttpDoor::Answer& answer) {
    try {
        if (auto refused = refuse_request(request, is_port, token)) return *refused;
        if (request.path == kProofPath) return answer_proof(request, token);
        return answer(request);
    } catch (const std::exception& error) {
        return http_refusal(500, error.what(), "refused");
    }
}

void HttpDoor::count_streams() {
    streams_ = static_cast<size_t>(std::count_if(connections_.begin(), connections_.end(), [](const Connection& it) {
        return it.step == Step::kStreaming && !it.over;
    }));
}

void HttpDoor::tell_streams(std::string text) {
    {
        const std::lock_guard lock(told_mutex_);
        told_.push_back(std::move(text));
    }
    eventfd_write(wake_.get(), 1);
}

void HttpDoor::take_told() {
    std::vector<std::string> told;
    {
        const std::lock_guard lock(told_mutex_);
        told.swap(told_);
    }
    for (const std::string& text : told)
        for (Connection& connection : connections_) {
            if (connection.step != Step::kStreaming || connection.over) continue;
            if (connection.out.size() + text.size() > kMostUnread) {
                connection.over = true;
                continue;
            }
            connection.out += text;
            write_some(connection);
        }
}

void HttpDoor::begin_work(Connection& connection, std::function<HttpAnswer()>&& work) {
    if (jobs_.size() >= kMostJobs)
        return begin_answer(
            connection, http_refusal(503, "too many requests wait for xserver: is it stopped?", "no_server"), false);
    connection.step = Step::kWorking;
    connection.until_ns = kNoEndNs;
    connection.in.clear();
    Job& job = jobs_.emplace_back();
    job.connection = connection.number;
    job.work = std::move(work);
    const bool begun = begin_thread(job.thread, [&job, wake = wake_.get()] {
        try {
            job.answer = job.work();
        } catch (const std::exception& error) {
            job.answer = http_refusal(500, error.what(), "refused");
        }
        job.done = true;
        eventfd_write(wake, 1);
    });
    if (begun) return;
    jobs_.pop_back();
    begin_answer(connection, no_thread_refusal(), false);
}

// Sends the results of finished jobs, unless the client has gone.
void HttpDoor::take_work() {
    for (auto job = jobs_.begin(); job != jobs_.end();) {
        if (!job->done) {
            ++job;
            continue;
        }
        job->thread.join();
        const auto asks = std::find_if(connections_.begin(), connections_.end(),
                                       [&](const Connection& it) { return it.number == job->connection; });
        if (asks != connections_.end() && !asks->over) begin_answer(*asks, job->answer, false);
        job = jobs_.erase(job);
    }
}

// Makes room for a connection of that peer. Returns false if none can be made.
bool HttpDoor::make_room(uint64_t peer) {
    if (connections_.size() < kMostConnections) return true;
    std::vector<HttpSeat> seats;
    for (const Connection& it : connections_) {
        const bool silent = it.step == Step::kReading && it.in.empty();
        const bool streams = it.step == Step::kStreaming;
        seats.push_back({it.peer, streams ? HttpUse::kStreams : silent ? HttpUse::kSilent : HttpUse::kAsks});
    }
    const size_t given = seat_to_give(seats, peer);
    if (given == seats.size()) return false;
    connections_.erase(std::next(connections_.begin(), static_cast<std::ptrdiff_t>(given)));
    return true;
}

void HttpDoor::accept_from(const HttpPlace& place) {
    base::UniqueFd socket(accept4(place.socket(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
        if (errno != EAGAIN && errno != EINTR) base::sleep_ns(10 * base::kMillisecond);  // out of descriptors
        return;
    }
    const uint64_t peer = peer_of(socket.get());
    if (!make_room(peer)) return;
    connections_.push_back({.number = ++last_number_,
                            .socket = std::move(socket),
                            .place = &place,
                            .peer = peer,
                            .until_ns = base::now_ns() + kRequestNs});
}

void HttpDoor::begin_answer(Connection& connection, const HttpAnswer& given, bool rest_unread) {
    connection.out = answer_text(given);
    if (connection.head_alone) connection.out.resize(connection.out.find("\r\n\r\n") + 4);
    connection.step = given.stream ? Step::kStreaming : Step::kWriting;
    connection.until_ns = given.stream ? kNoEndNs : base::now_ns() + kAnswerNs;
    connection.rest_unread = rest_unread;
    connection.in.clear();
    write_some(connection);
}

// Reads more of a request. If its head is refused, its body is not awaited.
void HttpDoor::hear_more(Connection& connection, const HttpRequest& request) {
    if (request.method.empty()) return;
    const auto refused = refuse_request(request, connection.place->is_port(), connection.place->token());
    if (refused) begin_answer(connection, *refused, true);
}

void HttpDoor::hear(Connection& connection, const Answer& answer) {
    char part[16384];
    const ssize_t bytes = recv(connection.socket.get(), part, sizeof(part), 0);
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (bytes <= 0) {
        connection.over = true;  // also for a stream, which has lost its reader
        return;
    }
    if (connection.step != Step::kReading) return;
    connection.in.append(part, static_cast<size_t>(bytes));
    HttpRequest request;
    const int status = read_request(connection.in, request);
    connection.head_alone = request.method == "HEAD";
    if (status == kHttpMore) return hear_more(connection, request);
    if (status != 200)
        return begin_answer(connection, http_refusal(status, "this is no request that is understood here"), true);
    HttpAnswer given = judge_request(request, connection.place->is_port(), connection.place->token(), answer);
    if (given.work) return begin_work(connection, std::move(given.work));
    if (given.stream && streams() >= kMostStreams)
        given =
            http_refusal(503, "there are " + std::to_string(kMostStreams) + " streams already: close one", "refused");
    begin_answer(connection, given, false);
    count_streams();
}

void HttpDoor::write_some(Connection& connection) {
    while (!connection.out.empty()) {
        const ssize_t bytes = send(connection.socket.get(), connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes < 0 && errno == EAGAIN) return;
        if (bytes <= 0) {
            connection.over = true;
            return;
        }
        connection.out.erase(0, static_cast<size_t>(bytes));
    }
    if (connection.step != Step::kWriting) return;
    if (!connection.rest_unread) {
        connection.over = true;
        return;
    }
    shutdown(connection.socket.get(), SHUT_WR);
    connection.step = Step::kDraining;
    connection.until_ns = base::now_ns() + kDrainNs;
}

void HttpDoor::let_go(int64_t now_ns) {
    for (Connection& connection : connections_) {
        if (connection.over || connection.until_ns > now_ns) continue;
        if (connection.step == Step::kReading && !connection.in.empty())
            begin_answer(connection, http_refusal(408, "the request did not come to its end within 2 s"), true);
        else
            connection.over = true;
    }
    connections_.remove_if([](const Connection& it) { return it.over; });
}

void HttpDoor::serve(const Answer& answer) {
    stop_on_signals();
    while (!told_to_stop()) {
        take_work();
        take_told();
        let_go(base::now_ns());
        count_streams();
        std::vector<pollfd> polled;
        int64_t until_ns = kNoEndNs;
        for (const HttpPlace& place : places_) polled.push_back({place.socket(), POLLIN, 0});
        for (const Connection& connection : connections_) {
            const int wanted = POLLIN | (connection.out.empty() ? 0 : POLLOUT);
            polled.push_back({connection.socket.get(), static_cast<short>(wanted), 0});
            until_ns = std::min(until_ns, connection.until_ns);
        }
        polled.push_back({wake_.get(), POLLIN, 0});
        const int64_t left_ms = (until_ns - base::now_ns()) / base::kMillisecond + 1;
        const int wait_ms = static_cast<int>(std::clamp<int64_t>(left_ms, 0, kLongestWaitMs));
        if (poll(polled.data(), polled.size(), wait_ms) <= 0) continue;
        eventfd_t woken = 0;
        eventfd_read(wake_.get(), &woken);
        auto at = polled.begin() + static_cast<std::ptrdiff_t>(places_.size());
        for (Connection& connection : connections_) {
            const int came = (at++)->revents;
            if ((came & POLLOUT) != 0) write_some(connection);
            if ((came & (POLLIN | POLLHUP | POLLERR)) != 0 && !connection.over) hear(connection, answer);
        }
        for (size_t i = 0; i < places_.size(); ++i)
            if (polled[i].revents != 0) accept_from(places_[i]);
    }
}

}  // namespace xsched::cli
