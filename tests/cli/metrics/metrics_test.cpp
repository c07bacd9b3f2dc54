// xcli metrics: the text, that it is served, and that the dashboard and the alerts ask for what there is.
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "cli/cli_rig.h"
#include "cli/metrics/text.h"
#include "support/http_by_hand.h"
#include "support/pattern.h"

namespace xsched::test {
namespace {

using namespace cli;

Json answer() {
    const Json lengths{{"count", 3}, {"sum_ms", 6.0}, {"buckets", {{8, 1}, {16, 2}}}};
    const Json program{{"pid", 7},
                       {"client", 3},
                       {"uid", 1000},
                       {"program", "a \"b\"\\c"},
                       {"queues", 2},
                       {"unscheduled", 0},
                       {"priority", -5},
                       {"share", 30},
                       {"state", "held"},
                       {"held_ms", 1500.0},
                       {"caused_ms", 250.0},
                       {"preempted_by", {{"gate", 4}, {"interrupt", 0}}},
                       {"devices", {{{"device", "GPU:1"}, {"got_percent", {50.0, 25.0, nullptr}}}}},
                       {"bursts", lengths},
                       {"commands", lengths},
                       {"hold_lengths", lengths}};
    return {{"policy", "HPF"}, {"uptime_s", 2.5}, {"restarts", 1}, {"holds_lost", 0}, {"programs", {program}}};
}

TEST(MetricsText, HasEachMetricWithItsHelp) {
    const std::string text = metrics_text(answer(), MetricsFormat::kOpenMetrics);
    const std::string labels = R"({pid="7",program="a \"b\"\\c",uid="1000",client="3")";
    for (const std::string& line : std::vector<std::string>{
             "# TYPE xsched_program_held_seconds counter\n# UNIT xsched_program_held_seconds seconds\n# HELP ",
             "\nxsched_program_held_seconds_total" + labels + "} 1.5\n",
             "\nxsched_program_priority" + labels + "} -5\n",
             "\nxsched_program_share_ratio" + labels + "} 0.3\n",
             "\nxsched_program_state" + labels + ",state=\"held\"} 1\n",
             "\nxsched_program_state" + labels + ",state=\"idle\"} 0\n",
             "\nxsched_program_preemptions_total" + labels + ",mechanism=\"gate\"} 4\n",
             "\nxsched_program_device_ratio" + labels + ",device=\"GPU:1\",window=\"10s\"} 0.25\n",
             "\nxsched_server_uptime_seconds 2.5\n",
             "\nxsched_server_restarts_total 1\n",
             "xsched_server_info{policy=\"HPF\"} 1\n",
         })
        EXPECT_TRUE(has(text, line)) << line << " is not in\n" << text;
    EXPECT_FALSE(has(text, "60s")) << "what is not known is left out";
    EXPECT_EQ(text.substr(text.size() - 6), "# EOF\n");
}

TEST(MetricsText, SaysInWhichContainerAProgramIs) {
    Json grouped = answer();
    const std::string id(64, 'c');
    grouped["programs"][0]["cgroup"] = "/docker/" + id;
    const std::string text = metrics_text(grouped, MetricsFormat::kPrometheus);
    EXPECT_EQ(occurrences(text, "client=\"3\""), occurrences(text, "client=\"3\",container_id=\"" + id + "\""));
    EXPECT_TRUE(has(text, ",container_id=\"" + id + "\",device=\"GPU:1\",window=\"1s\"} 0.5\n")) << text;
}

TEST(MetricsText, EachLabelIsDeclared) {
    std::set<std::string> declared;
    for (const MetricLabel& label : kMetricLabelTable) EXPECT_TRUE(declared.insert(label.name).second) << label.name;
    const std::string text = metrics_text(answer(), MetricsFormat::kOpenMetrics);
    for (const Pattern::Found& found : Pattern("[{,]([a-zA-Z_]+)=\"").all_in(text))
        EXPECT_TRUE(declared.contains(found[1])) << found[1];
}

// node_exporter's textfile collector refuses a whole file for one type that it does not know.
TEST(MetricsText, OlderFormatHasItsTypesAlone) {
    const std::string text = metrics_text(answer(), MetricsFormat::kPrometheus);
    EXPECT_TRUE(has(text, "# TYPE xsched_server_info gauge\n# HELP xsched_server_info "));
    EXPECT_TRUE(
        has(text, "# TYPE xsched_program_held_seconds_total counter\n# HELP xsched_program_held_seconds_total "));
    EXPECT_TRUE(has(text, "\nxsched_program_held_seconds_total{"));
    EXPECT_TRUE(has(text, "# TYPE xsched_program_burst_seconds histogram\n"));
    for (const char* part : {" info\n", "# UNIT", "# EOF"}) EXPECT_FALSE(has(text, part)) << part;
}

TEST(MetricsText, RequestsChooseTheFormat) {
    const std::string prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3";
    EXPECT_EQ(metrics_format(prometheus), MetricsFormat::kOpenMetrics);
    EXPECT_EQ(metrics_format("application/openmetrics-text"), MetricsFormat::kOpenMetrics);
    for (const char* accepted :
         {"", "*/*", "text/plain;version=0.0.4", "application/openmetrics-text;q=0",
          "text/plain;version=0.0.4;q=0.5, application/openmetrics-text;version=1.0.0;q=0.4, */*;q=0.1"})
        EXPECT_EQ(metrics_format(accepted), MetricsFormat::kPrometheus) << accepted;
}

TEST(MetricsText, HistogramsAreCumulative) {
    const std::string text = metrics_text(answer(), MetricsFormat::kPrometheus);
    const Pattern bucket("xsched_program_burst_seconds_bucket\\{.*,le=\"([^\"]*)\"\\} (\\d+)\n");
    std::vector<std::pair<std::string, int>> buckets;
    for (const Pattern::Found& found : bucket.all_in(text)) buckets.emplace_back(found[1], std::stoi(found[2]));
    ASSERT_EQ(buckets.size(), 28U);
    EXPECT_EQ(buckets[0], std::make_pair(std::string("1.024e-06"), 0));
    EXPECT_EQ(buckets[1], std::make_pair(std::string("2.048e-06"), 1));
    EXPECT_EQ(buckets[2], std::make_pair(std::string("4.096e-06"), 3));
    EXPECT_EQ(buckets.back(), std::make_pair(std::string("+Inf"), 3));
    EXPECT_TRUE(Pattern("xsched_program_burst_seconds_count\\{.*\\} 3\n").is_in(text));
    EXPECT_TRUE(Pattern("xsched_program_burst_seconds_sum\\{.*\\} 0\\.006\n").is_in(text));
}

TEST(MetricsText, NamesAndUnitsAreThoseOfOpenMetrics) {
    std::set<std::string> names;
    for (const Metric& metric : kMetricTable) {
        const std::string name = metric.name;
        EXPECT_TRUE(Pattern("xsched_[a-z_]+").is_all_of(name)) << name;
        EXPECT_FALSE(name.ends_with("_total")) << name;
        EXPECT_TRUE(*metric.unit == '\0' || name.ends_with(std::string("_") + metric.unit)) << name;
        EXPECT_TRUE(names.insert(name).second) << name;
    }
}

// The expressions of the Grafana dashboard and the Prometheus alerts must name only metrics that xcli metrics has.
TEST(MetricsText, DashboardAndAlertsAskForWhatThereIs) {
    std::set<std::string> samples{"xsched_server_info"};
    for (const Metric& metric : kMetricTable) {
        const std::string name = metric.name;
        if (metric.type == MetricType::kCounter) samples.insert(name + "_total");
        if (metric.type == MetricType::kGauge) samples.insert(name);
        if (metric.type != MetricType::kHistogram) continue;
        for (const char* ending : {"_bucket", "_count", "_sum"}) samples.insert(name + ending);
    }
    for (const std::string file : {"grafana-dashboard.json", "xsched-alerts.yml"}) {
        std::ifstream in(XSCHED_PACKAGING_DIR "/prometheus/" + file);
        std::stringstream whole;
        whole << in.rdbuf();
        const std::string text = whole.str();
        ASSERT_FALSE(text.empty()) << file;
        const std::vector<Pattern::Found> asked = Pattern("xsched_[a-z_]+").all_in(text);
        for (const Pattern::Found& found : asked) EXPECT_TRUE(samples.contains(found[0])) << file << ": " << found[0];
        EXPECT_GT(asked.size(), 3U) << file;
        EXPECT_EQ(Json::accept(text), file.ends_with(".json")) << file;
    }
}

class MetricsCommand : public WithTrainer {
protected:
    std::string door() const { return directory / "door"; }
    // Returns all that the server sends after one request.
    std::string ask(const std::string& request) const { return everything_after(connect_unix(door()).get(), request); }
};

TEST_F(MetricsCommand, TellsThePriorityThatListsTell) {
    ASSERT_EQ(xcli({"hint", "trainer", "--background"}).status, 0);
    const std::string text = xcli({"metrics"}).out;
    const size_t at = text.find("\nxsched_program_priority{");
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_TRUE(has(text.substr(at, text.find('\n', at + 1) - at), "} -255")) << text;
}

TEST_F(MetricsCommand, PrintsOnce) {
    const Outcome outcome = xcli({"metrics"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "xsched_program_priority{pid=\"")) << outcome.out;
    EXPECT_TRUE(has(xcli({"metrics", "--definitions"}).out, "xsched_program_held_seconds_total")) << "as it is printed";
    EXPECT_EQ(xcli({"metrics", "--definitions", "--json"}).json()["metrics"].size(), kMetrics + 1)
        << "and the server's info";
    EXPECT_TRUE(has(xcli({"metrics", "--definitions"}).out, "pod_uid"));
}

TEST_F(MetricsCommand, ServesThemAtAUnixSocket) {
    Process served({binary("xcli"), "metrics", "--listen", door()}, directory.environment());
    ASSERT_TRUE(served.wait_for_output("metrics at")) << served.err();
    struct stat info{};
    ASSERT_EQ(stat(door().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U) << "nobody else may open it";
    const base::UniqueFd silent = connect_unix(door());  // keeps no other client waiting for long
    const std::string answer = ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4")) << answer;
    const std::string open = ask("GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: application/openmetrics-text\r\n\r\n");
    EXPECT_TRUE(open.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/openmetrics-text; version=1.0.0"))
        << open;
    EXPECT_TRUE(has(answer, "xsched_program_queues{")) << answer;
    EXPECT_TRUE(ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").starts_with("HTTP/1.1 404"));
    EXPECT_TRUE(has(xcli({"metrics", "--listen", door()}).err, "another process listens at"));
    server->stop();
    EXPECT_TRUE(ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").starts_with("HTTP/1.1 503"));
    kill(served.pid(), SIGTERM);
    EXPECT_EQ(served.wait(), 0);
    EXPECT_NE(access(door().c_str(), F_OK), 0) << "it takes its socket away";
}

TEST_F(MetricsCommand, APortNeedsAToken) {
    expect_sentence({"metrics", "--listen", "127.0.0.1:0"}, "--token-file");
    expect_sentence({"metrics", "--listen", "0.0.0.0:9555"}, "is no place to listen");
    if (getgrgid(getgid()) == nullptr) GTEST_SKIP() << "group " << getgid() << " has no name";
    const std::string file = directory / "token";
    expect_sentence({"metrics", "--listen", "127.0.0.1:0", "--token-file", file, "--token-group", "no such group"},
                    "there is no group");
    Process served({binary("xcli"), "metrics", "--listen", "127.0.0.1:0", "--token-file", file, "--token-group",
                    getgrgid(getgid())->gr_name},
                   directory.environment());
    ASSERT_TRUE(served.wait_for_output("metrics at 127.0.0.1:")) << served.err();
    struct stat info{};
    ASSERT_EQ(stat(file.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0640U);
    std::string token;
    std::ifstream(file) >> token;
    EXPECT_EQ(token.size(), 32U) << "128 bits, others at each start";
    const std::string place = served.out().substr(served.out().find("127.0.0.1:") + 10);
    for (const bool right : {false, true}) {
        const base::UniqueFd connection = connect_port(std::stoi(place));
        const std::string head = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " +
                                 (right ? token : "wrong") + "\r\n\r\n";
        EXPECT_TRUE(everything_after(connection.get(), head).starts_with(right ? "HTTP/1.1 200" : "HTTP/1.1 401"));
    }
    kill(served.pid(), SIGTERM);
    EXPECT_EQ(served.wait(), 0);
}

}  // namespace
}  // namespace xsched::test
