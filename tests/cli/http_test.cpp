// Requests of HTTP taken apart, and who may ask: pure.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "cli/http_guard.h"
#include "cli/http_request.h"
#include "cli/http_room.h"
#include "support/text.h"

namespace xsched::test {
namespace {

using namespace cli;

int read_status(const std::string& bytes) {
    HttpRequest request;
    return read_request(bytes, request);
}

TEST(HttpRequest, IsTakenApart) {
    HttpRequest request;
    ASSERT_EQ(
        read_request("POST /a/b?x=1&name=a%20b+c HTTP/1.1\r\nHost:  x \r\nContent-Length: 4\r\n\r\nbodyrest", request),
        200);
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/a/b");
    EXPECT_EQ(request.header("host"), "x");
    EXPECT_EQ(request.parameter("name"), "a b c");
    EXPECT_EQ(request.parameter("x"), "1");
    EXPECT_EQ(request.parameter("y"), "");
    EXPECT_EQ(request.body, "body");
}

TEST(HttpRequest, WaitsForTheRest) {
    const std::string whole = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";
    for (size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(read_status(whole.substr(0, i)), kHttpMore) << i;
    EXPECT_EQ(read_status(whole), 200);
}

TEST(HttpRequest, WhatIsNoneIsRefused) {
    const std::string head = "GET / HTTP/1.1\r\n";
    for (const std::string& none :
         std::vector<std::string>{"\r\n\r\n", "GET\r\n\r\n", "GET /metrics FTP/1\r\n\r\n", " / HTTP/1.1\r\n\r\n",
                                  "GET x HTTP/1.1\r\n\r\n", "GET http://x/ HTTP/1.1\r\n\r\n", "GET / HTTP/2.0\r\n\r\n",
                                  head + "no colon\r\n\r\n", head + ": empty\r\n\r\n", head + " folded: x\r\n\r\n",
                                  head + "a: b\rc\r\n\r\n", head + "Host: x\r\nhost: y\r\n\r\n",
                                  head + "Content-Length: x\r\n\r\n", head + "Content-Length: -1\r\n\r\n",
                                  head + "Content-Length:\r\n\r\n", head + std::string("a: b\0c\r\n\r\n", 10)})
        EXPECT_EQ(read_status(none), 400) << none;
    EXPECT_EQ(read_status(head + "Transfer-Encoding: chunked\r\n\r\n"), 411);
    EXPECT_EQ(read_status(head + "Content-Length: 65537\r\n\r\n"), 413);
    EXPECT_EQ(read_status(head + "a: " + std::string(9000, 'a')), 431);
    EXPECT_EQ(read_status(head + "a: " + std::string(9000, 'a') + "\r\n\r\n"), 431);
    std::string many = head;
    for (int i = 0; i < 100; ++i) many += "h" + std::to_string(i) + ": x\r\n";
    EXPECT_EQ(read_status(many + "\r\n"), 400);
}

// Whatever comes is waited for, taken or refused.
TEST(HttpRequest, BytesAtRandom) {
    const std::string good = "POST /a?b=%41 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n{} ";
    std::mt19937 random(19);
    for (int i = 0; i < 20'000; ++i) {
        std::string bytes = good.substr(0, random() % (good.size() + 1));
        for (unsigned changes = random() % 4; changes > 0 && !bytes.empty(); --changes)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        HttpRequest request;
        const int status = read_request(bytes, request);
        EXPECT_TRUE(status == kHttpMore || status == 200 || (status >= 400 && status < 500)) << status;
        EXPECT_LE(request.parameter("b").size(), bytes.size());
    }
}

TEST(HttpAnswer, HasWhatKeepsABrowserFromDoingMore) {
    const std::string text = answer_text({.type = "text/html", .body = "abc"});
    for (const char* line : {"HTTP/1.1 200 OK\r\n", "Content-Length: 3\r\n", "X-Content-Type-Options: nosniff\r\n",
                             "Referrer-Policy: no-referrer\r\n", "default-src 'self'", "frame-ancestors 'none'",
                             "Cache-Control: no-store\r\n", "\r\n\r\nabc"})
        EXPECT_TRUE(has(text, line)) << line;
    EXPECT_FALSE(has(text, "Access-Control")) << "no other page may read it";
    EXPECT_FALSE(has(answer_text({.type = "t", .stream = true}), "Content-Length"));
}

// The status of what is refused; 0: it may be answered.
int refused(std::map<std::string, std::string> headers, bool is_port = false, const std::string& token = "",
            const std::string& method = "GET", const std::string& path = "/api/v1/status") {
    const auto answer = refuse_request(
        {.method = method, .path = path, .query = "", .headers = std::move(headers), .body = ""}, is_port, token);
    return answer ? answer->status : 0;
}

TEST(HttpGuard, OnlyThisMachinesOwnNamesAreAnswered) {
    for (const char* host : {"localhost", "localhost:80", "127.0.0.1", "127.0.0.1:50000", "[::1]:8080"}) {
        EXPECT_EQ(refused({{"host", host}}), 0) << host;
        EXPECT_EQ(refused({{"host", host}}, true), 0) << host;
    }
    EXPECT_EQ(refused({{"host", "xsched"}}), 0) << "curl --unix-socket";
    EXPECT_EQ(refused({{"host", "xsched"}}, true), 421);
    for (const char* host : {"evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example",
                             "127.0.0.1@evil.example", "localhost:x", "localhost:", ":80", "127.0.0.2"})
        EXPECT_EQ(refused({{"host", host}}), 421) << host;
    EXPECT_EQ(refused({}), 400);
    EXPECT_EQ(refused({{"host", "evil.example"}}, false, "", "GET", "/"), 421) << "the page itself too";
}

TEST(HttpGuard, NoOtherPageMayAsk) {
    const std::string host = "127.0.0.1:8080";
    EXPECT_EQ(refused({{"host", host}, {"origin", "http://127.0.0.1:8080"}}), 0);
    for (const char* origin : {"http://evil.example", "http://127.0.0.1:8081", "https://127.0.0.1:8080", "null"})
        EXPECT_EQ(refused({{"host", host}, {"origin", origin}}), 403) << origin;
    EXPECT_EQ(refused({{"host", host}, {"sec-fetch-site", "same-origin"}}), 0);
    EXPECT_EQ(refused({{"host", host}, {"sec-fetch-site", "none"}}), 0);
    for (const char* site : {"cross-site", "same-site"})
        EXPECT_EQ(refused({{"host", host}, {"sec-fetch-site", site}}), 403) << site;
    for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"})
        EXPECT_EQ(refused({{"host", host}, {"content-type", type}}, false, "", "POST"), 415) << type;
    EXPECT_EQ(refused({{"host", host}, {"content-type", "application/json"}}, false, "", "POST"), 0);
    EXPECT_EQ(refused({{"host", host}, {"content-type", "application/json; charset=utf-8"}}, false, "", "PUT"), 0);
}

TEST(HttpGuard, TheTokenIsAskedFor) {
    const std::string host = "localhost:1";
    for (const char* path : {"/api/v1/status", "/api/v1/live", "/api/x", "/metrics"}) {
        EXPECT_EQ(refused({{"host", host}}, true, "secret", "GET", path), 401) << path;
        for (const char* said : {"Bearer secre", "Bearer secrets", "secret", "Basic secret", "Bearer "})
            EXPECT_EQ(refused({{"host", host}, {"authorization", said}}, true, "secret", "GET", path), 401) << said;
        EXPECT_EQ(refused({{"host", host}, {"authorization", "Bearer secret"}}, true, "secret", "GET", path), 0);
    }
    EXPECT_EQ(refused({{"host", host}}, true, "secret", "GET", "/page.js"), 0) << "the page's files are no secret";
}

constexpr uint64_t kOne = 1000;
constexpr uint64_t kOther = 1001;

std::vector<HttpSeat> seats_of(size_t count, uint64_t peer, HttpUse use) { return {count, HttpSeat{peer, use}}; }

TEST(HttpRoom, WhoHasNotAskedMakesRoomBeforeARequest) {
    std::vector<HttpSeat> seats = seats_of(3, kOne, HttpUse::kAsks);
    seats.push_back({kOne, HttpUse::kSilent});
    EXPECT_EQ(seat_to_give(seats, kOne), 3U);
    seats.pop_back();
    EXPECT_EQ(seat_to_give(seats, kOne), seats.size()) << "requests under way stay: the newcomer goes";
}

TEST(HttpRoom, WhoeverHasMostMakesRoomForOthers) {
    std::vector<HttpSeat> seats{{kOther, HttpUse::kSilent}, {kOther, HttpUse::kAsks}};
    for (const HttpSeat& seat : seats_of(10, kOne, HttpUse::kAsks)) seats.push_back(seat);
    EXPECT_EQ(seat_to_give(seats, kOther), 2U);
    EXPECT_EQ(seat_to_give(seats, 0), 2U);
    EXPECT_EQ(seat_to_give(seats, kOne), seats.size()) << "not at the cost of who has less";
    seats.push_back({kOne, HttpUse::kSilent});
    EXPECT_EQ(seat_to_give(seats, kOne), seats.size() - 1);
}

TEST(HttpRoom, StreamsStay) {
    const std::vector<HttpSeat> seats = seats_of(4, kOne, HttpUse::kStreams);
    EXPECT_EQ(seat_to_give(seats, kOther), seats.size());
}

}  // namespace
}  // namespace xsched::test
