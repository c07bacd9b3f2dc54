// Parses an HTTP/1.1 request, with bounds on every part, and writes the answer. Pure; any thread.
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
    // Returns the parameters of the query, decoded: names and values.
    std::vector<std::pair<std::string, std::string>> parameters() const;
    // Returns one of them; empty: the query has none of that name.
    std::string parameter(std::string_view name) const;
};

struct HttpAnswer {
    int status = 200;
    std::string type;
    std::string body;
    bool stream = false;  // `body` is the beginning: what is told to streams follows (HttpDoor::tell_streams)
    std::vector<std::pair<std::string, std::string>> headers = {};
    // Computes the answer, on a thread of its own, since it may have to wait for xserver; the members above are not
    // used then.
    std::function<HttpAnswer()> work = {};
};

inline constexpr int kHttpMore = 0;
// Parses a request. Returns 200 if `bytes` begin with a whole one, now in `request`. Returns kHttpMore if more must
// come; if `request` has a method by then, only its body is missing. Otherwise returns the status of the refusal.
int read_request(std::string_view bytes, HttpRequest& request);

// Returns the answer as text, with headers that restrict what a browser does with it.
std::string answer_text(const HttpAnswer& answer);
// Returns {"ok": false, "error": SENTENCE, "kind": KIND}.
HttpAnswer http_refusal(int status, const std::string& sentence, const char* kind = "usage");
const char* http_status_words(int status);

}  // namespace xsched::cli
