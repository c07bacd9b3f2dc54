// The HTTP API for tools, version 1: turns an HTTP request into a request to the server, and the answer into JSON. A
// caller has the rights of the user who started this process. One thread.
#pragma once

#include <string>
#include <vector>

#include "cli/server_link.h"
#include "cli/web/http_request.h"

namespace xsched::cli {

inline constexpr int kApiVersion = 1;

struct RouteField {
    std::string name;
    std::string type;  // of JSON
    std::string summary;
    int64_t least = 0;
    int64_t most = 0;  // equal to least: there are no bounds
};

struct Route {
    const char* method;
    const char* path;
    const char* function;
    const char* member;
    const char* type;
    const char* summary;
    std::vector<RouteField> fields() const;  // of the query, or the body
};
const std::vector<Route>& web_routes();

// Returns the route; null: `path` has no such method. `known`: set if the path has other methods.
const Route* find_route(const std::string& method, const std::string& path, bool* known);

// Asks the server and answers. Handles everything but the stream, which web.cpp answers. Never throws.
HttpAnswer answer_api(const HttpRequest& request);
HttpAnswer json_answer(Json&& members);
// Returns the description of all routes in OpenAPI 3.0.
Json openapi();

}  // namespace xsched::cli
