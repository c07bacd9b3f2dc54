#include "cli/web/web.h"

#include <cstdio>
#include <optional>

#include "cli/installation.h"
#include "cli/metrics/metrics.h"
#include "cli/show.h"
#include "cli/stop_signals.h"
#include "cli/web/api.h"
#include "cli/web/files.h"
#include "cli/web/http_door.h"
#include "cli/web/live.h"
#include "cli/web/token_file.h"
#include "console/fold.h"
#include "ipc/protocol.h"

namespace xsched::cli {
namespace {

constexpr const char* kAnyPort = "127.0.0.1:0";
constexpr int64_t kUsualHz = 20;
constexpr int kPatienceOfPageMs = 3000;  // a server answers within a millisecond, on a machine that is not overloaded

// Returns the usual socket: it lies beside that of a server of this user.
std::string usual_path() {
    char path[ipc::kSocketPathBytes];
    if (!ipc::user_socket_path(path, true)) throw Failure("there is no runtime directory: say --listen PATH");
    const std::string server = path;
    return server.substr(0, server.rfind('/') + 1) + "web.sock";
}

bool is_port_place(const std::string& where) { return where.find('/') == std::string::npos; }

HttpAnswer answer_file(const std::string& path) {
    for (size_t i = 0; i < kWebFileCount; ++i)
        if (path == kWebFiles[i].path)
            return {.type = kWebFiles[i].type,
                    .body = {reinterpret_cast<const char*>(kWebFiles[i].bytes), kWebFiles[i].size}};
    return http_refusal(404, "there is no " + path + ": the page is at /, the API at /api/v1", "nobody");
}

HttpAnswer begin_stream(WebLive& live, const HttpRequest& request) {
    const std::string text = request.parameter("hz");
    const int64_t hz = text.empty() ? kUsualHz : strtoll(text.c_str(), nullptr, 10);
    if (hz < 1 || hz > WebLive::kMostHz)
        return http_refusal(400, "hz=" + text + " is not between 1 and " + std::to_string(WebLive::kMostHz));
    if (!live.join(hz)) return no_thread_refusal();
    return {.type = "text/event-stream", .body = "retry: 1000\n\n", .stream = true};
}

HttpAnswer answer_request(WebLive& live, const HttpRequest& request) {
    const bool reads = request.method == "GET";
    if (reads && request.path == "/api/v1/live") return begin_stream(live, request);
    if (reads && request.path == "/api/v1/openapi.json") return {.type = "application/json", .body = openapi().dump(2)};
    if (request.path.starts_with("/api/")) return {.work = [request] { return answer_api(request); }};
    if (!reads) return http_refusal(405, request.method + " is not for " + request.path);
    if (request.path == "/metrics") return answer_metrics(request);
    return answer_file(request.path == "/" ? "/index.html" : request.path);
}

Json place_json(const HttpPlace& place, const std::string& token_file) {
    Json entry{{"listen", place.name()}};
    if (place.is_port()) entry["url"] = "http://" + place.name() + "/";
    if (!token_file.empty()) entry["token_file"] = token_file;
    if (token_file.empty() && place.is_port()) entry["token"] = place.token();
    return entry;
}

std::string place_text(const Json& place) {
    const std::string begin = "xcli: page and API at ";
    if (!place.contains("url"))
        return begin + place.value("listen", "") + ", for this user alone (" + page("web.md") + ": through a tunnel)\n";
    if (place.contains("token_file"))
        return begin + place.value("url", "") + " (token: " + place.value("token_file", "") + ")\n";
    return begin + place.value("url", "") + "#token=" + place.value("token", "") + "\n";
}

// Opens all places where the page and the API are served. Returns for each place an entry that describes it.
Json open_places(const WebWords& words, HttpDoor& door, const std::string& token_of_all) {
    const bool usual = words.listen.empty();
    const std::vector<std::string> wanted = usual ? std::vector{usual_path(), std::string(kAnyPort)} : words.listen;
    Json places = Json::array();
    for (const std::string& where : wanted) {
        const bool port = is_port_place(where);
        try {
            std::vector<HttpPlace> opened =
                HttpPlace::open(where, port && token_of_all.empty() ? fresh_token() : token_of_all);
            places.push_back(place_json(opened.front(), words.token_file));
            door.add(std::move(opened));
        } catch (const Failure& failure) {
            if (!usual || port) throw;  // another process serves at the usual socket; the port suffices
            console::print_error("xcli: the page is at a port alone: %s\n", failure.what());
        }
    }
    return places;
}

// Says at the terminal what the page shows as long as there is no server, and what to do.
void tell_if_no_server() {
    try {
        ServerLink();
    } catch (const NoServer& none) {
        console::print_error("xcli: %s; the page stays empty until a server answers, and then shows its programs\n",
                             none.what());
    }
}

}  // namespace

int web(const WebWords& words, bool json) {
    if (words.openapi) {
        print(openapi().dump(2) + "\n");
        return 0;
    }
    stop_on_signals();  // comes first: a program that connects may send a signal at once
    HttpDoor door;
    const std::string token = words.token_file.empty() ? "" : fresh_token();
    const Json places = open_places(words, door, token);
    std::optional<TokenFile> file;  // written only when the places are ours, so no other process gets the token
    if (!token.empty()) file.emplace(words.token_file, token);
    if (json) print(Json{{"ok", true}, {"places", places}}.dump() + "\n");
    for (const Json& place : places)
        if (!json) print(place_text(place));
    wait_for_server_ms(kPatienceOfPageMs);
    if (!json) tell_if_no_server();
    WebLive live(door);
    door.serve([&live](const HttpRequest& request) { return answer_request(live, request); });
    return 0;
}

}  // namespace xsched::cli
