#include "cli/web/http_request.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstring>

namespace xsched::cli {
namespace {

constexpr size_t kMostHeaders = 64;
constexpr std::string_view kLineEnd = "\r\n";

// Allows scripts, styles and pictures only from here, and no inline script. No other page may embed this one, and other
// sites do not learn where a visitor came from.
constexpr const char* kSecurityHeaders =
    "Cache-Control: no-store\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'\r\n";

bool is_token_letter(char letter) {
    return isalnum(static_cast<unsigned char>(letter)) != 0 || (letter != '\0' && strchr("!#$%&'*+-.^_`|~", letter));
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

bool read_first_line(std::string_view line, HttpRequest& request) {
    const size_t method_end = line.find(' ');
    const size_t target_end = method_end == std::string_view::npos ? method_end : line.find(' ', method_end + 1);
    if (target_end == std::string_view::npos || method_end == 0) return false;
    const std::string_view version = line.substr(target_end + 1);
    if (version != "HTTP/1.1" && version != "HTTP/1.0") return false;
    request.method = line.substr(0, method_end);
    const std::string_view target = line.substr(method_end + 1, target_end - method_end - 1);
    if (target.empty() || target.front() != '/') return false;
    const size_t mark = target.find('?');
    request.path = target.substr(0, mark);
    request.query = mark == std::string_view::npos ? "" : target.substr(mark + 1);
    return true;
}

// Reads a header line. A header that comes twice is refused, since different programs would read it differently.
bool read_header_line(std::string_view line, HttpRequest& request) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || request.headers.size() >= kMostHeaders) return false;
    std::string name(line.substr(0, colon));
    if (!std::all_of(name.begin(), name.end(), is_token_letter)) return false;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) { return tolower(letter); });
    return request.headers.emplace(std::move(name), trimmed(line.substr(colon + 1))).second;
}

bool read_head(std::string_view head, HttpRequest& request) {
    for (bool first = true; !head.empty(); first = false) {
        const size_t end = head.find(kLineEnd);
        const std::string_view line = head.substr(0, end);
        if (line.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos) return false;
        if (first ? !read_first_line(line, request) : !read_header_line(line, request)) return false;
        if (end == std::string_view::npos) break;
        head.remove_prefix(end + kLineEnd.size());
    }
    return !request.method.empty();
}

int hex_digit(char letter) {
    if (letter >= '0' && letter <= '9') return letter - '0';
    const char small = static_cast<char>(tolower(static_cast<unsigned char>(letter)));
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

std::string decoded(std::string_view text) {
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
            result += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
            i += 2;
        } else {
            result += text[i] == '+' ? ' ' : text[i];
        }
    }
    return result;
}

}  // namespace

std::string HttpRequest::header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
}

std::vector<std::pair<std::string, std::string>> HttpRequest::parameters() const {
    std::vector<std::pair<std::string, std::string>> all;
    std::string_view rest = query;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find('&'), rest.size());
        const std::string_view pair = rest.substr(0, end);
        const size_t equals = std::min(pair.find('='), pair.size());
        const size_t value = std::min(equals + 1, pair.size());
        if (!pair.empty()) all.emplace_back(decoded(pair.substr(0, equals)), decoded(pair.substr(value)));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return all;
}

std::string HttpRequest::parameter(std::string_view name) const {
    for (auto& [known, value] : parameters())
        if (known == name) return value;
    return "";
}

int read_request(std::string_view bytes, HttpRequest& request) {
    request = {};
    const size_t head_end = bytes.find("\r\n\r\n");
    if (head_end == std::string_view::npos) return bytes.size() > HttpRequest::kLongestHead ? 431 : kHttpMore;
    if (head_end > HttpRequest::kLongestHead) return 431;
    if (!read_head(bytes.substr(0, head_end), request)) return 400;
    if (request.headers.contains("transfer-encoding")) return 411;
    const std::string length = request.header("content-length");
    if (length.empty()) return request.headers.contains("content-length") ? 400 : 200;
    if (length.size() > 9 || !std::all_of(length.begin(), length.end(), [](unsigned char it) { return isdigit(it); }))
        return 400;
    const size_t wanted = std::stoul(length);
    if (wanted > HttpRequest::kLongestBody) return 413;
    const std::string_view body = bytes.substr(head_end + 4);
    if (body.size() < wanted) return kHttpMore;
    request.body = body.substr(0, wanted);
    return 200;
}

const char* http_status_words(int status) {
    switch (status) {
        case 200: return "OK";
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 408: return "Request Timeout";
        case 411: return "Length Required";
        case 413: return "Content Too Large";
        case 415: return "Unsupported Media Type";
        case 421: return "Misdirected Request";
        case 431: return "Request Header Fields Too Large";
        case 500: return "Internal Server Error";
        default: return "Service Unavailable";
    }
}

HttpAnswer http_refusal(int status, const std::string& sentence, const char* kind) {
    const nlohmann::json body{{"ok", false}, {"error", sentence}, {"kind", kind}};
    return {.status = status,
            .type = "application/json",
            .body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"};
}

std::string answer_text(const HttpAnswer& answer) {
    std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " " + http_status_words(answer.status) +
                       "\r\nContent-Type: " + answer.type + "\r\nConnection: close\r\n" + kSecurityHeaders;
    if (!answer.stream) text += "Content-Length: " + std::to_string(answer.body.size()) + "\r\n";
    for (const auto& [name, value] : answer.headers) text += name + ": " + value + "\r\n";
    return text + "\r\n" + answer.body;
}

}  // namespace xsched::cli
