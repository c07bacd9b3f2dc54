// A request of HTTP/1.1 as it came, taken apart, with bounds on everything; and the answer to it. Pure; any thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xsched::cli {

struct HttpRequest {
    static constexpr size_t kLongestHead = 8192;
    static constexpr size_t kLongestBody = 65536;

    std::string method;
    std::string path;   // percent signs as they came: no path of ours has one
    std::string query;  // what is behind '?'
    std::map<std::string, std::string> headers;  // names in small letters
    std::string body;

    std::string header(const std::string& name) const;  // empty: it has none
    // Of the query, decoded; empty: it has none.
    std::string parameter(std::string_view name) const;
};

struct HttpAnswer {
    int status = 200;
    std::string type;
    std::string body;
    bool stream = false;  // `body` is the beginning: what is told to streams follows (HttpDoor::tell_streams)
    std::vector<std::pair<std::string, std::string>> headers = {};
    // Gives the answer in the place of all this, on a thread of its own: it may have to wait for somebody.
    std::function<HttpAnswer()> work = {};
};

inline constexpr int kHttpMore = 0;
// 200: `bytes` begin with a whole request, which is in `request`. kHttpMore: more must come; if `request` has a method,
// only the body. Else the status with which it is refused.
int read_request(std::string_view bytes, HttpRequest& request);

// With the headers that keep a browser from doing more with it than we want.
std::string answer_text(const HttpAnswer& answer);
// {"ok": false, "error": SENTENCE, "kind": KIND}.
HttpAnswer http_refusal(int status, const std::string& sentence, const char* kind = "usage");
const char* http_status_words(int status);

}  // namespace xsched::cli
