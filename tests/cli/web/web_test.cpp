// xcli web: the HTTP API on a real server. Everything that a stranger may try is refused, and a slow or large
// request keeps no other client waiting. The page itself: tests/web.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <csignal>

#include "cli/web/http_room.h"
#include "cli/web_rig.h"

namespace xsched::test {
namespace {

TEST_F(Web, AnswersWhatItsDescriptionSays) {
    const Json described = ask("GET", "/api/v1/openapi.json").body;
    ASSERT_EQ(described["openapi"], "3.0.3");
    EXPECT_EQ(described, xcli({"web", "--openapi"}).json());
    int asked = 0;
    for (const auto& [path, methods] : described["paths"].items()) {
        for (const auto& [method, operation] : methods.items()) {
            const Json& good = operation["responses"]["200"]["content"];
            ++asked;
            if (method != "get") {
                EXPECT_EQ(ask(method == "put" ? "PUT" : "POST", path, "[]").status, 400) << path;
                EXPECT_TRUE(operation.contains("requestBody")) << path;
            } else if (good.contains("application/json")) {
                const Answer answer = ask("GET", path);
                EXPECT_EQ(answer.status, 200) << path << answer.body;
                for (const Json& member : good["application/json"]["schema"]["required"])
                    EXPECT_TRUE(answer.body.contains(member.get<std::string>())) << path << member;
            }
        }
    }
    EXPECT_EQ(asked, 17);
    for (const char* path : {"/api/v1/nothing", "/api/v2/status", "/api/v1", "/api/", "/../etc/passwd", "/nothing"})
        EXPECT_EQ(ask("GET", path).status, 404) << path;
    EXPECT_EQ(ask("DELETE", "/api/v1/policy", "{}").status, 405);
    EXPECT_EQ(ask("POST", "/", "{}").status, 405);
}

TEST_F(Web, SaysWhatThereIs) {
    const Json status = get("status").body;
    EXPECT_EQ(status["ok"], true);
    EXPECT_EQ(status["api"], 1);
    EXPECT_EQ(status["processes"][0]["program"], "trainer");
    EXPECT_EQ(get("queues").body["queues"][0]["queue"], 1);
    EXPECT_EQ(get("programs?pid=" + pid()).body["programs"][0]["priority"], 3);
    EXPECT_EQ(get("programs?buckets=1").body["programs"][0]["bursts"].count("buckets"), 1U);
    const Json device = get("devices").body["devices"][0];
    EXPECT_EQ(device["programs"], 1);
    EXPECT_EQ(device["device"], get("queues").body["queues"][0]["device"]);
    EXPECT_TRUE(device["device_index"].is_number()) << device;
    const Json explained = get("explain?program=train").body;
    EXPECT_EQ(explained["programs"][0]["finding"], "alone") << explained;
    EXPECT_EQ(get("policy").body["policy"], "HPF");
    EXPECT_TRUE(has(everything_after(connect_unix(door()).get(), request_text("GET", "/metrics", "", "")),
                    "xsched_program_queues{"));
}

// Started by the test itself.
class WebAlone : public Web {
protected:
    void SetUp() override {}
};

// xcli web runs as a user who may have no further process or thread: it refuses requests and streams, and works again
// afterwards.
TEST_F(WebAlone, WhereNoThreadCanBeMadeRequestsAreRefused) {
    NEEDS_ROOT("to become another user");
    chmod(directory.path().c_str(), 0777);
    web = std::make_unique<Process>(
        nobody_runs({"/usr/bin/prlimit", "--nproc=1:1", binary("xcli"), "web", "--listen", door()}),
        directory.environment());
    ASSERT_TRUE(web->wait_for_output(door())) << web->err();
    for (const char* path : {"/api/v1/status", "/metrics", "/api/v1/live", "/api/v1/queues"})
        for (int i = 0; i < 8; ++i) {
            const Answer answer = ask("GET", path);
            ASSERT_EQ(answer.status, 503) << path << web->err();
            EXPECT_TRUE(has(answer.body.value("error", ""), "no thread can be started")) << answer.body;
        }
    EXPECT_EQ(ask("GET", "/").status, 200);
    kill(web->pid(), SIGTERM);
    EXPECT_EQ(web->wait(), 0) << web->err();
}

TEST_F(Web, AHintIsSeenInStatus) {
    EXPECT_EQ(order("hints", {{"pid", getpid()}, {"priority", -7}}).body["queues"], 1);
    EXPECT_TRUE(has(xcli({"status"}).out, "priority -7"));
    EXPECT_EQ(order("hints", {{"pid", getpid()}, {"queue", 1}, {"share", 40}}).status, 200);
    EXPECT_EQ(get("programs").body["programs"][0]["share"], 40);
    EXPECT_EQ(ask("PUT", "/api/v1/policy", R"({"name": "CFS"})").body["policy"], "CFS");
    EXPECT_TRUE(has(xcli({"policy", "-q"}).out, "CFS"));
    client.submit(0);
    EXPECT_EQ(order("suspend", {{"pid", getpid()}}).body["done"], true);
    EXPECT_TRUE(client.becomes_suspended(0, true));
    EXPECT_EQ(order("resume", {{"pid", getpid()}}).status, 200);
    EXPECT_TRUE(client.becomes_suspended(0, false));
}

TEST_F(Web, AQueryAsksForNoMoreThanWasMeant) {
    for (const auto& [query, said] :
         {std::pair{"queues?pid=1", "no parameter \"pid\" here: use none"}, std::pair{"programs?pid=", "pid is empty"},
          std::pair{"explain?pid=0", "pid 0 is no number of a process"},
          std::pair{"explain?progam=x", "did you mean \"program\"?"}}) {
        const Answer answer = get(query);
        EXPECT_EQ(answer.status, 400) << query;
        EXPECT_TRUE(has(answer.body.value("error", ""), said)) << answer.body;
    }
    EXPECT_EQ(get("programs?buckets=1&pid=" + pid() + "&").status, 200);
}

TEST_F(Web, AnOrderForAProcessWithoutXSchedIsAnError) {
    const Process plain({"/bin/sleep", "60"}, directory.environment());
    for (const auto& [path, hint] :
         {std::pair{"suspend", ""}, std::pair{"hints", "priority"}, std::pair{"config", "level"}}) {
        Json asked{{"pid", plain.pid()}};
        if (*hint != '\0') asked[hint] = 1;
        const Answer none = order(path, asked);
        EXPECT_EQ(none.status, 404) << path << none.body;
        EXPECT_TRUE(has(none.body.value("error", ""), "no such program is scheduled by this server")) << none.body;
    }
}

TEST_F(Web, ShowsThePriorityThatCounts) {
    ASSERT_EQ(xcli({"limit", std::to_string(geteuid()) + ":highest-priority=5"}).status, 0);
    const Json answer = order("hints", {{"pid", getpid()}, {"priority", 50}, {"share", 40}}).body;
    ASSERT_EQ(answer["remarks"].size(), 2U) << answer;
    EXPECT_EQ(answer["remarks"][0],
              "a limit leaves priority 5 of that: the list of limits (GET /api/v1/limits) shows it");
    EXPECT_TRUE(has(answer["remarks"][1], "policy HPF does not use share")) << answer;
    EXPECT_EQ(get("changes").body["queues"][0][3], 5);
    EXPECT_EQ(order("hints", {{"pid", getpid()}, {"priority", 4}}).body["remarks"], Json::array());
    EXPECT_EQ(get("changes").body["queues"][0][3], 4);
}

TEST_F(Web, WhatMakesNoSenseGetsASentence) {
    struct Wrong {
        const char* route;
        const char* body;
        int status;
        const char* part;
    };
    for (const Wrong& one : {
             Wrong{"hints", "", 400, "no JSON object"},
             Wrong{"hints", "{", 400, "no JSON object"},
             Wrong{"hints", "[]", 400, "no JSON object"},
             Wrong{"hints", R"({"pid": 1, "prio": 2})", 400, "use pid, queue"},
             Wrong{"hints", R"({"pid": "1", "priority": 2})", 400, "must be a JSON integer"},
             Wrong{"hints", R"({"priority": 2})", 400, R"(a process ("pid") or one of its queues ("queue"))"},
             Wrong{"hints", R"({"pid": 1})", 400, R"(give a priority ("priority"))"},
             Wrong{"hints", R"({"pid": 1, "cmd": "suspend"})", 400, "no member \"cmd\""},
             Wrong{"hints", R"({"pid": 1, "queue": "1", "priority": 2})", 400, "must be a JSON integer"},
             Wrong{"hints", R"({"pid": 999999999, "priority": 2})", 404, "999999999"},
             Wrong{"hints", R"({"queue": 77, "priority": 2})", 404, "GET /api/v1/queues"},
             Wrong{"suspend", "{}", 400, "say what"},
             Wrong{"suspend", R"({"queue": 1, "memory": true})", 400, R"(say which process ("pid"))"},
             Wrong{"config", R"({"pid": 1, "queue": 1})", 400, "nothing to configure"},
         }) {
        const Answer answer = ask("POST", std::string("/api/v1/") + one.route, one.body);
        EXPECT_EQ(answer.status, one.status) << one.body << answer.body;
        EXPECT_EQ(answer.body.value("ok", true), false) << one.body;
        const std::string error = answer.body.value("error", "");
        EXPECT_TRUE(has(error, one.part)) << one.body << error;
        for (const char* of_command_line : {"xcli", " -", "(-"})
            EXPECT_FALSE(has(error, of_command_line)) << one.body << error;
    }
    const std::string range = order("hints", {{"pid", getpid()}, {"priority", 300}}).body.value("error", "");
    EXPECT_TRUE(has(range, "300")) << range;
    EXPECT_TRUE(has(ask("PUT", "/api/v1/policy", R"({"name": "NO"})").body.value("error", ""), "no policy \"NO\""));
    EXPECT_EQ(ask("PUT", "/api/v1/policy", "{}").status, 400);
    EXPECT_EQ(get("programs?pid=x").status, 400);
    EXPECT_EQ(get("explain?pid=999999999").status, 404);
    EXPECT_EQ(get("live?hz=61").status, 400);
}

TEST_F(Web, DeeplyNestedRequestsAreRefused) {
    constexpr size_t kDeep = 32000;
    const std::string nested = std::string(kDeep, '[') + std::string(kDeep, ']');
    for (const std::string& body : {"{\"pid\":" + nested + "}", nested}) {
        EXPECT_EQ(ask("POST", "/api/v1/hints", body).status, 400);
        EXPECT_EQ(get("server").status, 200) << "and it still answers";
    }
}

TEST_F(Web, TheSocketIsThisUsersAndThePortAsksForTheToken) {
    struct stat info{};
    ASSERT_EQ(stat(door().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
    EXPECT_EQ(ask_port("").status, 401);
    EXPECT_EQ(ask_port("Authorization: Bearer 0123456789abcdef\r\n").status, 401);
    EXPECT_EQ(ask_port("Cookie: token=" + token + "\r\n").status, 401);
    EXPECT_EQ(ask_port("Authorization: Bearer " + token + "\r\n").status, 200);
}

TEST_F(Web, StrangersPagesAreRefused) {
    const std::string said = "Authorization: Bearer " + token + "\r\n";
    EXPECT_EQ(ask_port(said + "Origin: http://evil.example\r\n").status, 403);
    EXPECT_EQ(ask_port(said + "Sec-Fetch-Site: cross-site\r\n").status, 403);
    const std::string rebound = "GET /api/v1/status HTTP/1.1\r\nHost: evil.example\r\n" + said + "\r\n";
    EXPECT_EQ(parsed(everything_after(connect_port(port).get(), rebound)).status, 421);
    // A form on a foreign page can make a browser send such a request to a local port or tunnel that asks for no
    // token. Its content type gives it away.
    const std::string form = "POST /api/v1/suspend HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n";
    for (const char* type : {"text/plain", "application/x-www-form-urlencoded"})
        EXPECT_EQ(
            parsed(everything_after(connect_unix(door()).get(), form + "Content-Type: " + type + "\r\n\r\n{}")).status,
            415);
    EXPECT_EQ(parsed(everything_after(connect_unix(door()).get(), form + "Origin: http://evil.example\r\n"
                                                                         "Content-Type: application/json\r\n\r\n{}"))
                  .status,
              403);
    const Answer asked_first = ask("OPTIONS", "/api/v1/suspend", "", "");
    EXPECT_EQ(asked_first.status, 405);
    EXPECT_FALSE(has(asked_first.head, "Access-Control-Allow"));
}

TEST_F(Web, WhatIsTooLargeIsRefused) {
    EXPECT_EQ(ask("POST", "/api/v1/hints", std::string(70000, ' ')).status, 413);
    EXPECT_EQ(ask("GET", "/api/v1/status", "", "X: " + std::string(10000, 'x') + "\r\n").status, 431);
    EXPECT_EQ(get("status").status, 200);
}

TEST_F(Web, TheSlowKeepNobodyWaiting) {
    std::vector<base::UniqueFd> slow;
    for (int i = 0; i < 100; ++i) {  // more than there is room for
        slow.push_back(i % 2 == 0 ? connect_unix(door()) : connect_port(port));
        if (i % 3 == 0) say(slow.back().get(), "GET /api/v1/status HT");
    }
    EXPECT_EQ(get("status").status, 200);
    const base::UniqueFd late = connect_unix(door());
    ASSERT_TRUE(say(late.get(), "GET /api"));
    EXPECT_EQ(parsed(hear(late.get())).status, 408);
    EXPECT_EQ(get("status").status, 200);
}

TEST_F(Web, ARequestUnderWayStays) {
    const base::UniqueFd slow = connect_unix(door());
    const std::string request = request_text("GET", "/api/v1/status", "", "");
    ASSERT_TRUE(say(slow.get(), request.substr(0, 20)));
    EXPECT_EQ(get("status").status, 200) << "what was said before has been heard";
    std::vector<base::UniqueFd> silent;
    for (int i = 0; i < 100; ++i) silent.push_back(connect_unix(door()));
    EXPECT_EQ(get("status").status, 200);
    ASSERT_TRUE(say(slow.get(), request.substr(20)));
    EXPECT_EQ(parsed(hear(slow.get())).status, 200);
}

// The user at the other end of a local TCP connection is known: that of the process which has the socket.
TEST_F(Web, APortsPeersAreKnown) {
    const base::UniqueFd listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(place);
    ASSERT_EQ(bind(listening.get(), reinterpret_cast<sockaddr*>(&place), size), 0);
    ASSERT_EQ(listen(listening.get(), 1), 0);
    ASSERT_EQ(getsockname(listening.get(), reinterpret_cast<sockaddr*>(&place), &size), 0);
    const base::UniqueFd calling = connect_port(ntohs(place.sin_port));
    const base::UniqueFd accepted(accept(listening.get(), nullptr, nullptr));
    const uint64_t peer = cli::peer_of(accepted.get());
    if (peer == cli::kPeerUnknown) GTEST_SKIP() << "this kernel does not say whose a TCP connection is (sock_diag)";
    EXPECT_EQ(peer, geteuid());
}

TEST_F(Web, AStreamTellsOfChanges) {
    const base::UniqueFd stream = connect_unix(door());
    ASSERT_TRUE(say(stream.get(), request_text("GET", "/api/v1/live?hz=60", "", "")));
    const std::string head = hear(stream.get(), "event: programs");
    EXPECT_TRUE(has(head, "Content-Type: text/event-stream")) << head;
    client.submit(0);
    const std::string id = std::to_string(client.welcome().client_id);
    EXPECT_TRUE(has(hear(stream.get(), ",0," + id + ",0,"), ",0," + id + ",0,")) << "ready";
    EXPECT_EQ(get("status").status, 200) << "others are answered meanwhile";
    server->stop();
    EXPECT_TRUE(has(hear(stream.get(), "event: away"), "event: away"));
    const Answer away = get("status");
    EXPECT_EQ(away.status, 503);
    EXPECT_EQ(away.body["kind"], "no_server");
}

TEST_F(Web, ThePastIsToldAsTheStreamTellsIt) {
    client.submit(0);
    const std::string id = std::to_string(client.welcome().client_id);
    Json body;
    EXPECT_TRUE(eventually([&] {
        body = get("changes?last_ms=20000").body;
        return !body.value("changes", Json::array()).empty();
    }));
    const Json& first = body["changes"][0];
    ASSERT_EQ(first.size(), 6U) << first;
    EXPECT_EQ(std::to_string(first[2].get<int64_t>()), id);
    EXPECT_LE(first[0].get<int64_t>(), body["now_us"].get<int64_t>());
    EXPECT_EQ(body["queues"].size(), 1U) << body["queues"];
    EXPECT_EQ(get("changes?last_ms=0").status, 400);
}

TEST_F(Web, ThePastHasProgramsThatLeft) {
    {
        TestClient guest;
        ASSERT_TRUE(guest.connect(socket(), "yesterday"));
        guest.add_queue(4, 1, 0x42);
        guest.submit(4);
        ASSERT_TRUE(eventually([&] { return get("programs").body["programs"].size() == 2; }));
    }
    Json body;
    EXPECT_TRUE(eventually([&] {
        body = get("changes").body;
        return body["gone"].size() == 1 && body["gone_queues"].size() == 1;
    })) << body["gone"]
        << body["gone_queues"];
    EXPECT_EQ(body["gone"][0][2], "yesterday");
    EXPECT_EQ(body["gone_queues"][0][0], body["gone"][0][0]);
    EXPECT_EQ(body["gone_queues"][0][1], 4);
}

// If the server hangs, a request that needs its data is refused after a moment; pages and other requests do not wait
// for that.
TEST_F(Web, AServerThatHangsHoldsUpNobodyElse) {
    const base::UniqueFd stream = connect_unix(door());
    ASSERT_TRUE(say(stream.get(), request_text("GET", "/api/v1/live?hz=60", "", "")));
    ASSERT_TRUE(has(hear(stream.get(), "event: programs"), "event: programs"));
    kill(server->pid(), SIGSTOP);
    std::vector<base::UniqueFd> asking;
    for (int i = 0; i < 24; ++i) {
        asking.push_back(connect_unix(door()));
        ASSERT_TRUE(say(asking.back().get(), request_text("GET", "/api/v1/status", "", "")));
    }
    EXPECT_EQ(ask("GET", "/api/v1/openapi.json").status, 200) << "after them, without waiting for them";
    EXPECT_TRUE(has(hear(stream.get(), "event: away"), "event: away"));
    for (const base::UniqueFd& one : asking) EXPECT_EQ(parsed(hear(one.get())).status, 503);
    kill(server->pid(), SIGCONT);
    EXPECT_TRUE(eventually([&] { return get("status").status == 200; }));
    kill(server->pid(), SIGSTOP);
    for (int i = 0; i < 40; ++i) {  // gone before their answers come, more than are worked out at a time
        const base::UniqueFd gone = connect_unix(door());
        ASSERT_TRUE(say(gone.get(), request_text("GET", "/api/v1/status", "", "")));
    }
    EXPECT_EQ(ask("GET", "/api/v1/openapi.json").status, 200);
    kill(server->pid(), SIGCONT);
    EXPECT_TRUE(eventually([&] { return get("status").status == 200; }));
}

TEST_F(Web, StreamsAreBounded) {
    std::vector<base::UniqueFd> streams;
    for (int i = 0; i < 16; ++i) {
        streams.push_back(connect_unix(door()));
        ASSERT_TRUE(say(streams.back().get(), request_text("GET", "/api/v1/live?hz=1", "", "")));
        ASSERT_TRUE(has(hear(streams.back().get(), "\r\n\r\n"), "200 OK"));
    }
    EXPECT_EQ(get("live").status, 503);
    streams.clear();
    EXPECT_TRUE(eventually([&] {
        const base::UniqueFd again = connect_unix(door());
        return say(again.get(), request_text("GET", "/api/v1/live?hz=1", "", "")) &&
               has(hear(again.get(), "\r\n\r\n"), "200 OK");
    }));
}

TEST_F(Web, ItEndsWhenToldAndTakesItsSocketAway) {
    kill(web->pid(), SIGTERM);
    EXPECT_EQ(web->wait(), 0);
    EXPECT_NE(access(door().c_str(), F_OK), 0);
}

}  // namespace
}  // namespace xsched::test
