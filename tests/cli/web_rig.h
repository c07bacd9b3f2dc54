// xcli web on a real server, at a Unix socket and at a port, and what it answers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/cli_rig.h"
#include "support/http_by_hand.h"

namespace xsched::test {

class Web : public WithCli {
protected:
    struct Answer {
        int status = 0;
        std::string head;
        Json body;
    };
    // Returns status 0 for an empty text.
    static Answer parsed(const std::string& text) {
        Answer answer;
        const size_t end = text.find("\r\n\r\n");
        if (text.size() < 12 || end == std::string::npos) return answer;
        answer.status = std::stoi(text.substr(9, 3));
        answer.head = text.substr(0, end);
        answer.body = Json::parse(text.substr(end + 4), nullptr, false);
        return answer;
    }
    void SetUp() override {
        start();
        ASSERT_TRUE(client.connect(socket(), "trainer"));
        client.add_queue(0, 3, 0xfedcba9876543210);
        web = std::make_unique<Process>(
            std::vector<std::string>{binary("xcli"), "web", "--listen", door(), "--listen", "127.0.0.1:0"},
            directory.environment());
        ASSERT_TRUE(web->wait_for_output("#token=")) << web->err();
        ASSERT_TRUE(web->wait_for_output("\n"));
        const std::string text = web->out();
        port = std::stoi(text.substr(text.find("127.0.0.1:") + 10));
        token = text.substr(text.find("#token=") + 7, 32);
    }
    std::string door() const { return directory / "web"; }
    static std::string request_text(const std::string& method, const std::string& path, const std::string& body,
                                    const std::string& more) {
        std::string text = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + more;
        if (method != "GET")
            text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
        return text + "\r\n" + body;
    }
    Answer ask(const std::string& method, const std::string& path, const std::string& body = "",
               const std::string& more = "") const {
        return parsed(everything_after(connect_unix(door()).get(), request_text(method, path, body, more)));
    }
    Answer get(const std::string& route) const { return ask("GET", "/api/v1/" + route); }
    Answer order(const std::string& route, const Json& body) const {
        return ask("POST", "/api/v1/" + route, body.dump());
    }
    Answer ask_port(const std::string& more) const {
        return parsed(everything_after(connect_port(port).get(), request_text("GET", "/api/v1/status", "", more)));
    }
    std::string pid() const { return std::to_string(getpid()); }

    TestClient client;
    std::unique_ptr<Process> web;
    int port = 0;
    std::string token;
};

}  // namespace xsched::test
