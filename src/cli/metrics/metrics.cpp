#include "cli/metrics/metrics.h"

#include <optional>

#include "cli/explain/urgency.h"
#include "cli/metrics/text.h"
#include "cli/show.h"
#include "cli/stop_signals.h"
#include "cli/web/http_door.h"
#include "cli/web/token_file.h"
#include "console/table.h"

namespace xsched::cli {
namespace {

int show_definitions(bool json) {
    console::Table table({"METRIC", "TYPE", "UNIT", "MEANING"});
    Json list = Json::array();
    for (const Metric& metric : kMetricTable) {
        const std::string name = std::string(metric.name) + (metric.type == MetricType::kCounter ? "_total" : "");
        table.add({name, metric_type_word(metric.type), *metric.unit != '\0' ? metric.unit : "-", metric.help});
        list.push_back(
            {{"name", name}, {"type", metric_type_word(metric.type)}, {"unit", metric.unit}, {"help", metric.help}});
    }
    const char* const info[] = {"xsched_server_info", "gauge", "the policy in force, as a label"};
    table.add({info[0], info[1], "-", info[2]});
    list.push_back({{"name", info[0]}, {"type", info[1]}, {"unit", ""}, {"help", info[2]}});
    console::Table label_table({"LABEL", "MEANING"});
    Json labels = Json::array();
    for (const MetricLabel& label : kMetricLabelTable) {
        label_table.add({label.name, label.help});
        labels.push_back({{"name", label.name}, {"help", label.help}});
    }
    json ? print(Json{{"ok", true}, {"metrics", list}, {"labels", labels}}.dump(2) + "\n")
         : print_text(table.text() + "\n" + label_table.text());
    return 0;
}

Json ask_programs() {
    ServerLink link;
    Json answer = ask_all(link, {{"cmd", "programs"}, {"buckets", true}}, "programs");
    for (Json& program : answer["programs"]) program["priority"] = counted_priority(program);
    return answer;
}

HttpAnswer answer_to(const HttpRequest& request) {
    if (request.path != "/metrics") return http_refusal(404, "only /metrics is here", "nobody");
    if (request.method != "GET") return http_refusal(405, "only GET is answered");
    return answer_metrics(request);
}

HttpAnswer metrics_in(MetricsFormat format) {
    try {
        return {.status = 200, .type = metrics_content_type(format), .body = metrics_text(ask_programs(), format)};
    } catch (const Failure& failure) {
        return {.status = 503, .type = "text/plain", .body = failure.what() + std::string("\n")};
    }
}

}  // namespace

HttpAnswer answer_metrics(const HttpRequest& request) {
    const MetricsFormat format = metrics_format(request.header("accept"));
    return {.work = [format] { return metrics_in(format); }};
}

int metrics(const MetricsWords& words, bool json) {
    if (words.definitions) return show_definitions(json);
    if (!words.token_group.empty() && words.token_file.empty())
        throw Failure("--token-group is for the file of a token: say which one, --token-file FILE");
    if (words.listen.empty() && !words.token_file.empty())
        throw Failure("--token-file is for a port: say which one, --listen 127.0.0.1:PORT");
    if (words.listen.empty()) {
        const Json answer = ask_programs();
        print(json ? answer.dump(2) + "\n" : metrics_text(answer, MetricsFormat::kPrometheus));
        return 0;
    }
    // The token is written to a file, for the programs that read the metrics. It gives access to the metrics only, so a
    // leaked token does little harm.
    const std::string token = words.token_file.empty() ? "" : fresh_token();
    std::vector<HttpPlace> places = HttpPlace::open(words.listen, token);
    std::optional<TokenFile> file;
    if (!token.empty()) file.emplace(words.token_file, token, words.token_group);
    stop_on_signals();  // before any program can know that it listens
    const std::string place = places.front().name();
    print(json ? Json{{"ok", true}, {"listen", place}}.dump() + "\n" : "xcli: metrics at " + place + "\n");
    HttpDoor door;
    door.add(std::move(places));
    door.serve(answer_to);
    return 0;
}

}  // namespace xsched::cli
