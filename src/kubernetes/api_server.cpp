#include "kubernetes/api_server.h"

#include <curl/curl.h>

#include <cstdlib>
#include <memory>

#include "base/files.h"

namespace xsched::kubernetes {
namespace {

constexpr long kConnectS = 5;  // safety: kubelet waits 45 s for a claim (DefaultDRAClientTimeout)
constexpr long kAnswerS = 10;  // likewise
constexpr size_t kMostBytes = 16 << 20;  // safety: an object of Kubernetes has at most 1.5 MiB
constexpr const char* kAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

size_t take(char* bytes, size_t one, size_t count, void* text) {
    auto& all = *static_cast<std::string*>(text);
    if (all.size() + one * count > kMostBytes) return 0;
    all.append(bytes, one * count);
    return one * count;
}

std::string first_line(const std::string& file) {
    const std::string text = base::text_of_file(file);
    return text.substr(0, text.find('\n'));
}

struct Headers {
    void add(const std::string& line) { list = curl_slist_append(list, line.c_str()); }
    ~Headers() { curl_slist_free_all(list); }
    curl_slist* list = nullptr;
};

void set_access(CURL* curl, const ApiAccess& access, Headers& headers) {
    if (!access.authority.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, access.authority.c_str());
    if (!access.certificate.empty()) {
        curl_easy_setopt(curl, CURLOPT_SSLCERT, access.certificate.c_str());
        curl_easy_setopt(curl, CURLOPT_SSLKEY, access.certificate.c_str());
    }
    if (!access.token.empty()) headers.add("Authorization: Bearer " + first_line(access.token));
    headers.add("Accept: application/json");
    headers.add("Content-Type: application/json");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.list);
}

Json checked(const char* method, const std::string& path, long status, const std::string& text) {
    const Json answer = Json::parse(text, nullptr, false);
    if (status >= 200 && status < 300 && !answer.is_discarded()) return answer;
    const std::string said = answer.is_object() ? answer.value("message", "") : "";
    throw ApiError(status, std::string("the API server answers ") + std::to_string(status) + " to " + method + " " +
                               path + (said.empty() ? "" : ": " + said));
}

}  // namespace

ApiAccess access_of_pod() {
    const char* host = std::getenv("KUBERNETES_SERVICE_HOST");
    const char* port = std::getenv("KUBERNETES_SERVICE_PORT");
    if (host == nullptr || port == nullptr) return {};
    const bool version6 = std::string(host).find(':') != std::string::npos;
    const std::string name = version6 ? "[" + std::string(host) + "]" : host;
    return {"https://" + name + ":" + port, std::string(kAccount) + "/ca.crt", std::string(kAccount) + "/token", ""};
}

Json ApiServer::ask(const char* method, const std::string& path, const Json& body) const {
    const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), curl_easy_cleanup);
    if (!curl) throw ApiError(0, "curl cannot begin");
    const std::string url = access_.url + path;
    const std::string sent = body.is_null() ? "" : body.dump();
    std::string text;
    Headers headers;
    set_access(curl.get(), access_, headers);
    curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_CUSTOMREQUEST, method);
    if (!body.is_null()) {
        curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(sent.size()));
        curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, sent.c_str());
    }
    curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &text);
    curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, kConnectS);
    curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT, kAnswerS);
    curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);  // other threads run
    const CURLcode result = curl_easy_perform(curl.get());
    if (result != CURLE_OK)
        throw ApiError(0, "the API server at " + access_.url + " does not answer: " + curl_easy_strerror(result));
    long status = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
    return checked(method, path, status, text);
}

}  // namespace xsched::kubernetes
