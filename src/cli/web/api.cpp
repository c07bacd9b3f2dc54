#include "cli/web/api.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/clock.h"
#include "base/did_you_mean.h"
#include "base/hints.h"
#include "cli/explain/sentences.h"
#include "cli/explain/unknown_program.h"
#include "cli/metrics/text.h"
#include "cli/show.h"
#include "cli/steer.h"
#include "cli/top/rows.h"
#include "cli/web/api_words.h"
#include "cli/web/changes.h"

namespace xsched::cli {
namespace {

constexpr int64_t kUsualPastMs = 30'000;  // as xcli trace --last
// Of 2,048 changes each. Measured on 2026-11-29 at a load of 17: 31,353 changes were 0.77 MB and took 0.9 s. If there
// are more than fit, the newest are left out, and the stream goes on behind the gap.
constexpr int kMostPastAnswers = 64;

int64_t whole_number(const std::string& name, const std::string& text) {
    char* end = nullptr;
    errno = 0;
    const long long number = strtoll(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0' || errno != 0) throw Failure(name + "=" + text + " is no whole number");
    return number;
}

std::string names_of(const std::vector<RouteField>& fields) {
    std::string names;
    for (const RouteField& field : fields) names += (names.empty() ? "" : ", ") + field.name;
    return names.empty() ? "none" : names;
}

std::string meant_by(const std::string& name, const std::vector<RouteField>& fields) {
    std::vector<std::string> known;
    for (const RouteField& field : fields) known.push_back(field.name);
    return base::meant(known, name);
}

void add_member(Json& asked, const RouteField& field, const Json& value) {
    const bool fits = field.type == "integer"   ? value.is_number_integer()
                      : field.type == "boolean" ? value.is_boolean()
                                                : value.is_string();
    // Shows only the type of a nested value: it may be nested ten thousand deep, and printing uses stack for each
    // level.
    const std::string given = value.is_structured() ? value.type_name() : value.dump();
    if (!fits) throw Failure("\"" + field.name + "\" must be a JSON " + field.type + ", not " + given);
    asked[field.name] = value;
}

// Returns the field of this name; refuses one that the route does not have. `what`: what the name stands for.
const RouteField& field_named(const std::vector<RouteField>& fields, const std::string& name, const char* what) {
    const auto of_name = [&name](const RouteField& it) { return it.name == name; };
    const auto found = std::find_if(fields.begin(), fields.end(), of_name);
    if (found != fields.end()) return *found;
    throw Failure("there is no " + std::string(what) + " \"" + name + "\" here" + meant_by(name, fields) + ": use " +
                  names_of(fields));
}

// Returns the members of the body for the server.
Json body_of(const HttpRequest& request, const Route& route) {
    const Json body = Json::parse(request.body, nullptr, false);
    if (!body.is_object()) throw Failure("the body is no JSON object, such as {\"pid\": 42}");
    const std::vector<RouteField> fields = route.fields();
    Json asked = Json::object();
    for (const auto& [name, value] : body.items()) add_member(asked, field_named(fields, name, "member"), value);
    return asked;
}

// Returns the parameters of the query for the server. An empty one is refused: the answer would be about more than was
// meant.
Json query_of(const HttpRequest& request, const Route& route) {
    Json asked = Json::object();
    const std::vector<RouteField> fields = route.fields();
    for (const auto& [name, text] : request.parameters()) {
        const RouteField& field = field_named(fields, name, "parameter");
        if (text.empty()) throw Failure(name + " is empty: give a value, or leave it out");
        if (field.type == "integer") asked[field.name] = whole_number(field.name, text);
        if (field.type == "boolean") asked[field.name] = text == "1" || text == "true";
        if (field.type == "string") asked[field.name] = text;
    }
    return asked;
}

Json ask_pages(Json asked, const char* command, const char* pages) {
    asked["cmd"] = command;
    ServerLink link;
    return ask_all(link, asked, pages);
}

Json ask_once(Json asked, const char* command) {
    asked["cmd"] = command;
    Json answer = ServerLink().ask(asked);
    answer.erase("ok");
    return answer;
}

// Sends an order about a program. Throws Failure if its process is not connected to this server, so that the order
// reaches nothing: the server keeps it in case the process connects later.
Json order(const Json& asked, const char* command) {
    Json answer = ask_once(asked, command);
    const std::string why = why_kept(answer, asked.value("pid", int64_t{0}));
    if (!why.empty()) throw Failure("no such program is scheduled by this server: " + why, kNobody);
    return answer;
}

Json api_server(const Json& asked) { return {{"server", ask_once(asked, "server")}}; }
Json api_status(const Json& asked) { return ask_pages(asked, "status", "processes"); }
Json api_programs(const Json& asked) { return ask_pages(asked, "programs", "programs"); }
Json api_queues(const Json& asked) { return ask_pages(asked, "list", "queues"); }
Json api_limits(const Json& asked) { return {{"limits", ask_once(asked, "limits")}}; }
Json api_policy(const Json& asked) { return ask_once(asked, "policy"); }
Json api_hint(const Json& asked) {
    Json answer = order(asked, "hint");
    Json& remarks = answer["remarks"] = Json::array();
    for (const std::string& remark : hint_remarks(answer)) remarks.push_back(in_api_words(remark));
    return answer;
}

Json api_set_policy(const Json& asked) {
    if (!asked.contains("name")) throw Failure("say which policy: {\"name\": \"HPF\"}");
    return ask_once(asked, "policy");
}

Json done(const Json& asked, const char* command) {
    const Json answer = order(asked, command);
    return {{"done", true}, {"queues", answer.value("queues", 0)}, {"later", answer.value("later", false)}};
}
Json api_config(const Json& asked) { return done(asked, "config"); }
Json api_suspend(const Json& asked) { return done(asked, "suspend"); }
Json api_resume(const Json& asked) { return done(asked, "resume"); }

Json api_devices(const Json&) {
    TopRows rows;
    rows.take(ask_pages(Json::object(), "programs", "programs"));
    return {{"devices", devices_json(rows)}};
}

Json api_explain(const Json& asked) {
    const std::string name = asked.value("program", "");
    const int64_t pid = asked.value("pid", int64_t{0});
    if (asked.contains("pid") && pid < 1) throw Failure("pid " + std::to_string(pid) + " is no number of a process");
    const Json answer = ask_pages(Json::object(), "programs", "programs");
    Json told = Json::array();
    for (const Json& program : answer["programs"]) {
        const bool meant = (pid == 0 || program.value("pid", int64_t{0}) == pid) &&
                           program.value("program", "").find(name) != std::string::npos;
        if (meant) told.push_back(explained_json(program, explain(answer, program)));
    }
    if (told.empty() && (pid != 0 || !name.empty()))
        throw Failure("no such program is scheduled by this server: 'xcli status' shows those there are", kNobody);
    return {{"policy", answer.value("policy", "")}, {"programs", told}};
}

Json api_changes(const Json& asked) {
    ServerLink link;
    Changes changes =
        read_changes(link, {{"queues", true}, {"last_ms", asked.value("last_ms", kUsualPastMs)}}, kMostPastAnswers);
    return {{"changes", std::move(changes.entries)},
            {"queues", std::move(changes.queues)},
            {"gone", read_gone(link)},
            {"gone_queues", std::move(changes.gone_queues)},
            {"lost", changes.lost},
            {"now_us", base::now_ns() / base::kMicrosecond}};
}

Json api_metrics(const Json&) {
    Json list = Json::array();
    for (const Metric& metric : kMetricTable)
        list.push_back({{"name", metric.name},
                        {"type", metric_type_word(metric.type)},
                        {"unit", metric.unit},
                        {"help", metric.help}});
    return {{"metrics", list}};
}

// Throw Failure: web.cpp answers these two requests, since it knows the connections and tokens that they need.
Json api_live(const Json&) { throw Failure("the stream is not answered here"); }
Json api_proof(const Json&) { throw Failure("the proof is not answered here"); }

using ApiFunction = Json (*)(const Json&);

ApiFunction function_of(const Route& route) {
#define XSCHED_ROUTE(method, path, name, member, type, summary) \
    if (strcmp(route.function, #name) == 0) return api_##name;
#include "cli/web/routes.def"
    return nullptr;
}

int http_status_of(Status status) {
    switch (status) {
        case kNoServer: return 503;
        case kNobody: return 404;
        case kRefused: return 403;
        default: return 400;
    }
}

const char* kind_of(Status status) {
    switch (status) {
        case kNoServer: return "no_server";
        case kNobody: return "nobody";
        case kRefused: return "refused";
        default: return "usage";
    }
}

}  // namespace

const std::vector<Route>& web_routes() {
    static const std::vector<Route> routes{
#define XSCHED_ROUTE(method, path, function, member, type, summary) {method, path, #function, member, type, summary},
#include "cli/web/routes.def"
    };
    return routes;
}

std::vector<RouteField> Route::fields() const {
    std::vector<RouteField> fields;
#define XSCHED_ROUTE_FIELD(of, name, type, summary) \
    if (strcmp(function, #of) == 0) fields.push_back({name, type, summary});
#include "cli/web/routes.def"
    if (strcmp(function, "hint") != 0) return fields;
    for (const base::HintInfo& hint : base::kHints)
        if (hint.request != nullptr) fields.push_back({hint.request, "integer", hint.help, hint.least, hint.most});
    return fields;
}

const Route* find_route(const std::string& method, const std::string& path, bool* known) {
    *known = false;
    for (const Route& route : web_routes()) {
        if (path != route.path) continue;
        *known = true;
        if (method == route.method) return &route;
    }
    return nullptr;
}

HttpAnswer json_answer(Json&& members) {
    members["ok"] = true;
    members["api"] = kApiVersion;
    return {.type = "application/json", .body = members.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"};
}

HttpAnswer answer_api(const HttpRequest& request) {
    bool known = false;
    const Route* route = find_route(request.method, request.path, &known);
    if (route == nullptr && known)
        return http_refusal(405, request.method + " is not for " + request.path + ": see /api/v1/openapi.json");
    if (route == nullptr)
        return http_refusal(404, "there is no " + request.path + ": see /api/v1/openapi.json", "nobody");
    try {
        const bool reads = request.method == "GET";
        return json_answer(function_of(*route)(reads ? query_of(request, *route) : body_of(request, *route)));
    } catch (const Failure& failure) {
        return http_refusal(http_status_of(failure.status()), in_api_words(failure.what()), kind_of(failure.status()));
    } catch (const std::exception& error) {
        return http_refusal(500, error.what(), "refused");
    }
}

}  // namespace xsched::cli
