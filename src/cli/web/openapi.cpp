// Describes the routes in OpenAPI 3.0, from web/routes.def, for programs that generate clients.
#include <cstring>

#include "cli/web/api.h"

namespace xsched::cli {
namespace {

Json schema_of(const RouteField& field) {
    Json schema{{"type", field.type}};
    if (field.least != field.most) {
        schema["minimum"] = field.least;
        schema["maximum"] = field.most;
    }
    return schema;
}

Json query_parameters(const Route& route) {
    Json parameters = Json::array();
    for (const RouteField& field : route.fields())
        parameters.push_back(
            {{"name", field.name}, {"in", "query"}, {"description", field.summary}, {"schema", schema_of(field)}});
    return parameters;
}

Json request_body(const Route& route) {
    Json properties = Json::object();
    for (const RouteField& field : route.fields()) {
        properties[field.name] = schema_of(field);
        properties[field.name]["description"] = field.summary;
    }
    const Json schema{{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
    return {{"required", true}, {"content", {{"application/json", {{"schema", schema}}}}}};
}

Json good_answer(const Route& route) {
    if (strcmp(route.type, "stream") == 0)
        return {{"description", route.summary},
                {"content", {{"text/event-stream", {{"schema", {{"type", "string"}}}}}}}};
    Json member{{"type", route.type}};
    if (strcmp(route.type, "array") == 0) member["items"] = {{"type", "object"}};
    const Json schema{
        {"type", "object"},
        {"required", {"ok", "api", route.member}},
        {"properties", {{"ok", {{"type", "boolean"}}}, {"api", {{"type", "integer"}}}, {route.member, member}}}};
    return {{"description", route.summary}, {"content", {{"application/json", {{"schema", schema}}}}}};
}

Json operation(const Route& route) {
    Json result{
        {"operationId", route.function},
        {"summary", route.summary},
        {"responses", {{"200", good_answer(route)}, {"default", {{"$ref", "#/components/responses/Refused"}}}}}};
    // A client calls `proof` before it sends its token, so this call needs none.
    if (strcmp(route.function, "proof") == 0) result["security"] = Json::array();
    if (strcmp(route.method, "GET") == 0)
        result["parameters"] = query_parameters(route);
    else
        result["requestBody"] = request_body(route);
    return result;
}

std::string in_small_letters(const char* method) {
    std::string text = method;
    for (char& letter : text) letter = static_cast<char>(letter - 'A' + 'a');
    return text;
}

}  // namespace

Json openapi() {
    Json paths = Json::object();
    for (const Route& route : web_routes()) paths[route.path][in_small_letters(route.method)] = operation(route);
    const Json error{{"type", "object"},
                     {"required", {"ok", "error", "kind"}},
                     {"properties",
                      {{"ok", {{"type", "boolean"}}},
                       {"error", {{"type", "string"}, {"description", "a sentence: what is wrong, and what to do"}}},
                       {"kind", {{"type", "string"}, {"enum", {"usage", "nobody", "refused", "no_server"}}}}}}};
    const Json refused{{"description", "400 usage, 403 refused, 404 nobody, 503 no server answers"},
                       {"content", {{"application/json", {{"schema", error}}}}}};
    return {{"openapi", "3.0.3"},
            {"info",
             {{"title", "XSched"},
              {"version", std::to_string(kApiVersion)},
              {"description", "What is scheduled and why, and how to steer it. Times end in _ms, _us or _s."}}},
            {"security", {{{"token", Json::array()}}}},
            {"paths", paths},
            {"components",
             {{"responses", {{"Refused", refused}}},
              {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}

}  // namespace xsched::cli
