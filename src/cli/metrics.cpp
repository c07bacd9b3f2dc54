#include "cli/metrics.h"

#include <fstream>

#include "cli/http_door.h"
#include "cli/metrics_text.h"
#include "cli/show.h"
#include "console/table.h"

namespace xsched::cli {
namespace {

int show_definitions(bool json) {
    console::Table table({"METRIC", "TYPE", "UNIT", "MEANING"});
    Json list = Json::array();
    for (const Metric& metric : kMetricTable) {
        table.add({metric.name, metric_type_word(metric.type), *metric.unit != '\0' ? metric.unit : "-", metric.help});
        list.push_back({{"name", metric.name},
                        {"type", metric_type_word(metric.type)},
                        {"unit", metric.unit},
                        {"help", metric.help}});
    }
    print(json ? Json{{"ok", true}, {"metrics", list}}.dump(2) + "\n" : table.text());
    return 0;
}

Json ask_programs() {
    ServerLink link;
    return ask_all(link, {{"cmd", "programs"}, {"buckets", true}}, "programs");
}

std::string read_token(const std::string& file) {
    std::ifstream in(file);
    std::string token;
    if (!std::getline(in, token) || token.size() < 16)
        throw Failure("\"" + file + "\" has no token: its first line must have 16 letters at least");
    return token;
}

// A server that is away is no reason to leave: whoever asks is told.
HttpAnswer answer_to(const std::string& path) {
    if (path != "/metrics") return {.status = 404, .type = "text/plain", .body = "only /metrics is here\n"};
    try {
        return {.status = 200, .type = kMetricsContentType, .body = metrics_text(ask_programs())};
    } catch (const Failure& failure) {
        return {.status = 503, .type = "text/plain", .body = failure.what() + std::string("\n")};
    }
}

}  // namespace

int metrics(const MetricsWords& words, bool json) {
    if (words.definitions) return show_definitions(json);
    if (words.listen.empty()) {
        const Json answer = ask_programs();
        print(json ? answer.dump(2) + "\n" : metrics_text(answer));
        return 0;
    }
    const std::string token = words.token_file.empty() ? "" : read_token(words.token_file);
    HttpDoor door(words.listen, token);
    print("xcli: metrics at " + door.place() + "\n");
    door.serve(answer_to);
    return 0;
}

}  // namespace xsched::cli
