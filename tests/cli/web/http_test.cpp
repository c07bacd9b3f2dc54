// Requests of HTTP taken apart, and who may ask: pure.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "cli/sha256.h"
#include "cli/web/http_guard.h"
#include "cli/web/http_proof.h"
#include "cli/web/http_request.h"
#include "cli/web/http_room.h"
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

// Bytes that two readers might take for requests of different lengths are refused.
TEST(HttpRequest, HasOneLengthAlone) {
    const std::string head = "POST / HTTP/1.1\r\nHost: x\r\n";
    for (const char* lines : {"Content-Length: 2\r\nContent-Length: 2", "Content-Length: 2, 2", "Content-Length: +2",
                              "Content-Length: 0x2", "Content-Length : 2", "Content-Length: 2 2", "content_length: 2\n",
                              " Content-Length: 2", "A: b\r\n Content-Length: 2", "A: b\nContent-Length: 2"})
        EXPECT_EQ(read_status(head + lines + "\r\n\r\n{}"), 400) << lines;
    for (const char* coding : {"chunked", "identity", "gzip, chunked", "\vchunked", ""})
        EXPECT_EQ(read_status(head + "Content-Length: 2\r\nTransfer-Encoding: " + coding + "\r\n\r\n{}"), 411)
            << coding;
    HttpRequest request;
    EXPECT_EQ(read_request(head + "Content-Length: 2\r\n\r\n{", request), kHttpMore);
    EXPECT_EQ(request.method, "POST") << "the head is known before the body has come";
}

// Random bytes are always answered in one of three ways: the parser waits for more, accepts them as a request, or
// refuses.
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
                             "Referrer-Policy: no-referrer\r\n", "default-src 'none'", "frame-ancestors 'none'",
                             "require-trusted-types-for 'script'", "Cache-Control: no-store\r\n", "\r\n\r\nabc"})
        EXPECT_TRUE(has(text, line)) << line;
    EXPECT_FALSE(has(text, "Access-Control")) << "no other page may read it";
    EXPECT_FALSE(has(answer_text({.type = "t", .stream = true}), "Content-Length"));
}

// Returns the status with which the request is refused; 0: it may be answered.
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
    EXPECT_EQ(refused({{"host", "xsched"}, {"accept-encoding", "gzip"}}), 421) << "a browser, by a stranger's name";
    EXPECT_EQ(refused({{"host", "localhost"}, {"accept-encoding", "gzip"}}), 0);
    for (const char* host : {"evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example",
                             "127.0.0.1@evil.example", "localhost:x", "localhost:", ":80", "127.0.0.2", "0.0.0.0:80",
                             "[::]:80", "[::ffff:7f00:1]:80", "[::1].evil.example", "localhost.", "[::1]x"})
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

TEST(HttpGuard, AProofIsToldWithoutTheTokenButToNoOtherPage) {
    const std::string host = "localhost:1";
    EXPECT_EQ(refused({{"host", host}}, true, "secret", "GET", kProofPath), 0);
    EXPECT_EQ(refused({{"host", "evil.example"}}, true, "secret", "GET", kProofPath), 421);
    EXPECT_EQ(refused({{"host", host}, {"origin", "http://evil.example"}}, true, "secret", "GET", kProofPath), 403);
    EXPECT_EQ(refused({{"host", host}}, true, "secret", "GET", std::string(kProofPath) + "/"), 401);
}

template <size_t kBytes>
std::string hex(const std::array<uint8_t, kBytes>& bytes) {
    return hex_of(bytes.data(), bytes.size());
}

// FIPS 180-4's examples and RFC 4231's cases 1, 2 and 6.
TEST(Sha256, IsAsPublished) {
    EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(hex(sha256(std::string(1'000'000, 'a'))),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    EXPECT_EQ(hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(HttpProof, IsOfTheNonceAndTheToken) {
    const std::string nonce = "00112233445566778899aabbccddeeff";
    const auto proof = [](const std::string& query, const std::string& token) {
        return answer_proof({.method = "GET", .path = kProofPath, .query = query, .headers = {}, .body = ""}, token);
    };
    const HttpAnswer answer = proof("nonce=" + nonce, "secret");
    EXPECT_EQ(answer.status, 200);
    EXPECT_TRUE(has(answer.body, hex(hmac_sha256("secret", "xsched-proof:" + nonce)))) << answer.body;
    EXPECT_FALSE(has(answer.body, "secret"));
    for (const std::string& none : {std::string(), nonce.substr(1), nonce + "g", nonce + "%41", std::string(129, '0')})
        EXPECT_EQ(proof("nonce=" + none, "secret").status, 400) << none;
    EXPECT_TRUE(has(proof("", "").body, "\"proof\":\"\"")) << "a place without a token";
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
