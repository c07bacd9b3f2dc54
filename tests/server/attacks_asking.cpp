// Attacks by tools' requests: too many, too large, about others, about what is about to end.
#include "server/attack_parts.h"

namespace xsched::test {
namespace {

constexpr unsigned kMostTools = 16;  // that a user may have at once

// Makes `count` processes, including this one, each of which asks for ever.
template <typename Ask>
[[noreturn]] void all_ask(unsigned count, const std::string& path, const Ready& ready, Ask ask) {
    for (unsigned at = 1; at < count; ++at)
        beside([&] {
            Asker tool(path);
            for (unsigned i = at;; i += count) ask(tool, i);
        });
    Asker tool(path);
    without_end(ready, [&](unsigned i) { ask(tool, i * count); });
}

// A client of this process with queues and work.
std::unique_ptr<TestClient> make_client(const std::string& path, unsigned queues) {
    auto client = std::make_unique<TestClient>(path, "asks");
    if (!client->connected()) _exit(1);
    for (unsigned at = 0; at < queues; ++at) {
        client->add_queue(at, static_cast<int32_t>(at % 16), 0x4000 + at, kOtherDevice);
        client->submit(at);
    }
    return client;
}

// As many requests as the connection holds, and then all answers, without a pause between them.
XSCHED_ATTACK(kAsking, pipelined, 1, "a thousand requests at once, eight times side by side") {
    for (int i = 0; i < 7 && fork() != 0; ++i) {
    }
    const std::string request = R"({"cmd":"server"})";
    std::string room(ipc::kMostPacketBytes, '\0');
    base::UniqueFd tool;
    without_end(ready, [&](unsigned) {
        if (!tool) tool = raw_tool(path);
        if (!tool) return void(usleep(1000));
        for (int i = 0; i < 1000 && ipc::send_packet(tool.get(), request.data(), request.size()); ++i) {
        }
        long bytes = ipc::receive_packet(tool.get(), room.data(), room.size(), nullptr, 100);
        while (bytes > 0) bytes = ipc::receive_packet(tool.get(), room.data(), room.size(), nullptr, 0);
        if (bytes == 0) tool.reset();
    });
}

// Tools ask for the server's whole journal again and again, while a client fills the journal as fast as it can.
XSCHED_ATTACK(kAsking, records, 1, "fifteen tools that ask for the whole past") {
    if (fork() == 0) {
        const auto client = make_client(path, 64);
        for (unsigned at = 0;; at = (at + 1) % 64) {
            client->complete(at);
            client->submit(at);
        }
    }
    all_ask(kMostTools - 1, path, ready, [](Asker& tool, unsigned i) {
        switch (i % 4) {
            case 0: return tool.ask(Json{{"cmd", "record"}, {"all", true}, {"queues", true}});
            case 1: return tool.ask(Json{{"cmd", "record"}, {"from", i * 7919U}});
            case 2: return tool.ask(Json{{"cmd", "record"}, {"from", UINT64_MAX}, {"last_ms", INT64_MAX}});
            default: return tool.ask(Json{{"cmd", "record"}, {"from", 0}, {"cursor", i}});
        }
    });
}

std::string repeated(const std::string& part, size_t bytes) {
    std::string text;
    while (text.size() + part.size() <= bytes) text += part;
    return text;
}

// Unusual or invalid JSON (long numbers, many members, wrong UTF-8, zero bytes), most of it nearly as long as a
// packet may be.
std::vector<std::string> odd_texts() {
    constexpr size_t kBytes = ipc::kMostPacketBytes - 200;
    const auto list = [](const std::string& more) { return R"({"cmd":"list",)" + more + "}"; };
    return {
        list(R"("cursor":1)" + std::string(kBytes, '0')),
        list(R"("cursor":0.)" + std::string(kBytes, '1') + "e308"),
        list(repeated(R"("cursor":7,)", kBytes) + R"("x":1)"),
        list("\"x\":[" + repeated("[],", kBytes) + "[]]"),
        list("\"x\":[" + repeated("1e-308,", kBytes) + "0]"),
        list("\"x\":\"" + repeated(R"(\ud83d\u0000)", kBytes) + "\""),
        list("\"x\":\"" + repeated("\xf0\x9f\xff", kBytes) + "\""),
        std::string(kBytes, '\0'),
        repeated("{\"a\":[{\"b\":[1e999,-0,", 300) + repeated(" ", kBytes),
        R"({"cmd":"hint","pid":1e308,"priority":-1e308,"queue":18446744073709551616})",
        R"({"cmd":"list","cmd":"status","cmd":null,"cmd":"list"})",
    };
}

XSCHED_ATTACK(kAsking, odd_json, 1, "requests of 64 KiB of odd JSON") {
    const std::vector<std::string> texts = odd_texts();
    all_ask(4, path, ready, [&](Asker& tool, unsigned i) { tool.ask(texts[i % texts.size()]); });
}

// Refusals that quote what was asked, six times as long: each letter is written as \u0001.
XSCHED_ATTACK(kAsking, echoes, 1, "refusals that quote 60,000 letters") {
    const std::string letters(10'000, '\x01');
    const std::string words[] = {Json{{"cmd", letters}}.dump(), Json{{"cmd", "policy"}, {"name", letters}}.dump(),
                                 Json{{"cmd", "log"}, {"level", letters}}.dump(),
                                 Json{{"cmd", "limit"}, {"set", letters + "=1"}}.dump()};
    all_ask(8, path, ready, [&](Asker& tool, unsigned i) { tool.ask(words[i % 4]); });
}

// Tools change the hints and settings of their own program again and again, to other values each time.
XSCHED_ATTACK(kAsking, steering, 1, "eight tools that give a program other hints each time") {
    const auto client = make_client(path, 64);
    const int64_t pid = getpid();
    all_ask(8, path, ready, [&](Asker& tool, unsigned i) {
        if (i % 3 == 0)
            tool.ask(Json{{"cmd", "config"}, {"pid", pid}, {"threshold", i % 64 + 1}, {"batch_size", i % 8 + 1}});
        else
            tool.ask(Json{{"cmd", "hint"}, {"pid", pid}, {"priority", i % 128}, {"expect_us", i % 5000}});
    });
}

XSCHED_ATTACK(kAsking, suspending, 1, "eight tools that suspend and resume a program") {
    const auto client = make_client(path, 64);
    const int64_t pid = getpid();
    all_ask(8, path, ready, [&](Asker& tool, unsigned i) {
        Json request{{"cmd", i % 2 == 0 ? "suspend" : "resume"}};
        if (i % 8 < 4)
            request["pid"] = pid;
        else
            request["queue"] = 0x4000 + i % 64;
        tool.ask(request);
    });
}

// Sends orders for every pid that a process may have, most of which are of no process or of another user's.
XSCHED_ATTACK(kAsking, foreign_processes, 1, "orders for each number that a process may have") {
    const char* const commands[] = {"suspend", "hint", "config", "resume", "programs", "status"};
    all_ask(8, path, ready, [&](Asker& tool, unsigned i) {
        tool.ask(Json{{"cmd", commands[i % 6]}, {"pid", i / 6 % 70'000 + 1}, {"priority", 127}, {"level", 3}});
    });
}

// Processes that announce themselves, have orders kept for them, and end: the kernel gives their numbers away again.
XSCHED_ATTACK(kAsking, short_lived, 2, "programs that are announced, have orders kept for them, and end") {
    forget_children();
    without_end(ready, [&](unsigned i) {
        beside([&] {
            Asker tool(path);
            tool.ask(Json{{"cmd", "expect"}});
            tool.ask(Json{{"cmd", "suspend"}, {"pid", static_cast<int64_t>(getpid())}});
            tool.ask(Json{{"cmd", "hint"}, {"pid", static_cast<int64_t>(getpid())}, {"priority", 100}});
            if (i % 2 == 0) kill(getpid(), SIGKILL);
        });
        usleep(2000);
    });
}

// Settings for control groups that are another's, that are not there, and whose names are no names.
XSCHED_ATTACK(kAsking, groups, 1, "settings of control groups that are others', or not there") {
    const std::string names[] = {"/",
                                 "/user.slice",
                                 "/../../../proc/1/root",
                                 repeated("/x", 4000),
                                 "/" + std::string(4000, 'y'),
                                 repeated("/..", 3000) + "/etc",
                                 "//././/",
                                 std::string("/\x1b]0;x\x07\n", 8)};
    const char* const settings[] = {":share=100", ":limit=1", ":highest-priority=255", ":share=", ":=", "=9"};
    all_ask(8, path, ready, [&](Asker& tool, unsigned i) {
        tool.ask(Json{{"cmd", "limit"}, {"set", names[i % 8] + settings[i / 8 % 6]}});
    });
}

// Requests that only administrators may make.
XSCHED_ATTACK(kAsking, forbidden, 1, "what administrators alone may do") {
    all_ask(8, path, ready, [&](Asker& tool, unsigned i) {
        switch (i % 5) {
            case 0: return tool.ask(Json{{"cmd", "policy"}, {"name", i % 2 == 0 ? "CFS" : "HPF"}});
            case 1: return tool.ask(Json{{"cmd", "log"}, {"level", "DEBG"}});
            case 2: return tool.ask(Json{{"cmd", "limit"}, {"set", "clients=" + std::to_string(i)}});
            case 3: return tool.ask(Json{{"cmd", "limit"}, {"set", "0:highest-priority=0"}});
            default: return tool.ask(Json{{"cmd", "policy"}});
        }
    });
}

// The socket for containers: clients, tools, and what is not for them.
XSCHED_ATTACK(kAsking, guests, 1, "clients and tools at the socket for containers") {
    const std::string second = guest_socket(path);
    static std::deque<base::UniqueFd> kept;
    all_ask(4, second, ready, [&](Asker& tool, unsigned i) {
        tool.ask(Json{{"cmd", i % 3 == 0 ? "limit" : i % 3 == 1 ? "log" : "list"}, {"set", "clients=4000"}});
        if (i % 8 != 0) return;
        kept.push_back(raw_client(second));
        if (kept.size() > kKept) kept.pop_front();
    });
}

}  // namespace

}  // namespace xsched::test
