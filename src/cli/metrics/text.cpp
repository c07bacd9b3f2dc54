#include "cli/metrics/text.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "base/histogram.h"
#include "base/states.h"

namespace xsched::cli {

const Metric kMetricTable[kMetrics] = {
#define XSCHED_METRIC(name, type, scope, member, scale, unit, help) \
    {"xsched_" #name, MetricType::type, MetricScope::scope, member, scale, unit, help},
#include "cli/metrics/metrics.def"
#undef XSCHED_METRIC
};

const MetricLabel kMetricLabelTable[kMetricLabels] = {
#define XSCHED_LABEL(name, help) {#name, help},
#include "cli/metrics/labels.def"
#undef XSCHED_LABEL
};

const char* metric_type_word(MetricType type) {
    switch (type) {
        case MetricType::kCounter: return "counter";
        case MetricType::kGauge: return "gauge";
        case MetricType::kHistogram: return "histogram";
    }
    return "";
}

namespace {

using Buckets = base::HistogramBuckets;

std::string number_text(double number) {
    char text[40];
    snprintf(text, sizeof(text), "%.9g", number);
    return text;
}

std::string escaped(const std::string& text) {
    std::string result;
    for (const char letter : text) {
        if (letter == '\n') {
            result += "\\n";
            continue;
        }
        if (letter == '\\' || letter == '"') result += '\\';
        result += letter;
    }
    return result;
}

std::string text_of(const Labels& labels) {
    std::string text;
    for (const auto& [name, value] : labels) text += "," + name + "=\"" + escaped(value) + "\"";
    return text;
}

std::string labels_of(const Json& program, const LabelSources& sources) {
    return "pid=\"" + std::to_string(program.value("pid", int64_t{0})) + "\",program=\"" +
           escaped(program.value("program", "")) + "\",uid=\"" + std::to_string(program.value("uid", int64_t{0})) +
           "\",client=\"" + std::to_string(program.value("client", int64_t{0})) + "\"" +
           text_of(sources.of_group(program.value("cgroup", "")));
}

class Writer {
public:
    Writer(const Metric& metric, MetricsFormat format) : metric_(metric) {
        std::string name = metric.name;
        // The older format describes a counter by its name with "_total", and has no units.
        const bool open_metrics = format == MetricsFormat::kOpenMetrics;
        if (!open_metrics && metric.type == MetricType::kCounter) name += "_total";
        text_ = "# TYPE " + name + " " + metric_type_word(metric.type) + "\n";
        if (open_metrics && *metric.unit != '\0') text_ += "# UNIT " + name + " " + metric.unit + "\n";
        text_ += "# HELP " + name + " " + metric.help + ".\n";
    }
    void sample(const std::string& labels, const Json& value) {
        if (value.is_number())
            line(metric_.type == MetricType::kCounter ? "_total" : "", labels, value.get<double>() * metric_.scale);
    }
    void histogram(const std::string& labels, const Json& lengths) {
        uint64_t in_octave[Buckets::kCount / Buckets::kParts] = {};
        for (const Json& bucket : lengths.value("buckets", Json::array()))
            if (const auto at = bucket.at(0).get<size_t>(); at < Buckets::kCount)
                in_octave[at / Buckets::kParts] += bucket.at(1).get<uint64_t>();
        uint64_t so_far = 0;
        for (uint32_t i = 0; i < std::size(in_octave); ++i) {
            so_far += in_octave[i];
            const bool last = i + 1 == std::size(in_octave);
            const double end_s = static_cast<double>(Buckets::least((i + 1) * Buckets::kParts)) / 1e9;
            line("_bucket", labels + ",le=\"" + (last ? "+Inf" : number_text(end_s)) + "\"",
                 static_cast<double>(so_far));
        }
        line("_count", labels, static_cast<double>(so_far));
        line("_sum", labels, lengths.value("sum_ms", 0.0) * metric_.scale);
    }
    const std::string& text() const { return text_; }

private:
    void line(const char* ending, const std::string& labels, double value) {
        text_ += metric_.name + std::string(ending);
        if (!labels.empty()) text_ += "{" + labels + "}";
        text_ += " " + number_text(value) + "\n";
    }
    const Metric& metric_;
    std::string text_;
};

void write_devices(Writer& writer, const std::string& labels, const Json& program, const char* member,
                   const LabelSources& sources) {
    constexpr const char* kWindows[] = {"1s", "10s", "60s"};
    for (const Json& device : program.value("devices", Json::array())) {
        const Json& values = device.at(member);
        const std::string name = device.value("device", "");
        const std::string all = labels + text_of({{"device", name}}) + text_of(sources.of_device(name));
        for (size_t i = 0; i < values.size() && i < std::size(kWindows); ++i)
            writer.sample(all + ",window=\"" + kWindows[i] + "\"", values[i]);
    }
}

void write_program(Writer& writer, const Metric& metric, const Json& program, const std::string& labels,
                   const LabelSources& sources) {
    if (metric.scope == MetricScope::kDevice) return write_devices(writer, labels, program, metric.member, sources);
    const auto found = program.find(metric.member);
    if (found == program.end()) return;
    if (metric.type == MetricType::kHistogram) return writer.histogram(labels, *found);
    if (metric.scope == MetricScope::kMechanism) {
        for (const auto& [mechanism, count] : found->items())
            writer.sample(labels + ",mechanism=\"" + mechanism + "\"", count);
    } else if (metric.scope == MetricScope::kState) {
        for (const base::StateInfo& state : base::kStates)
            writer.sample(labels + ",state=\"" + state.word + "\"", *found == state.word ? 1 : 0);
    } else {
        writer.sample(labels, *found);
    }
}

// Returns the largest weight that the header Accept gives the type, from 0 (or if the type is not named) to 1: RFC
// 9110, 12.4.2 and 12.5.1.
double preference(const std::string& accepted, const std::string& type) {
    double most = 0;
    std::istringstream entries(accepted);
    for (std::string entry; std::getline(entries, entry, ',');) {
        entry.erase(0, entry.find_first_not_of(' '));
        if (!entry.starts_with(type)) continue;
        const size_t weight = entry.find(";q=");
        most = std::max(most, weight == std::string::npos ? 1 : std::strtod(entry.c_str() + weight + 3, nullptr));
    }
    return most;
}

}  // namespace

MetricsFormat metrics_format(const std::string& accepted) {
    const double open_metrics = preference(accepted, "application/openmetrics-text");
    return open_metrics > 0 && open_metrics >= preference(accepted, "text/plain") ? MetricsFormat::kOpenMetrics
                                                                                  : MetricsFormat::kPrometheus;
}

const char* metrics_content_type(MetricsFormat format) {
    return format == MetricsFormat::kOpenMetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                                 : "text/plain; version=0.0.4; charset=utf-8";
}

std::string metrics_text(const Json& answer, MetricsFormat format, const LabelSources& sources) {
    const bool open_metrics = format == MetricsFormat::kOpenMetrics;
    const std::string info = open_metrics ? "xsched_server info" : "xsched_server_info gauge";
    std::string text = "# TYPE " + info + "\n# HELP " + info.substr(0, info.find(' ')) +
                       " The policy in force.\nxsched_server_info{policy=\"" + escaped(answer.value("policy", "")) +
                       "\"} 1\n";
    std::vector<std::string> labels;
    for (const Json& program : answer["programs"]) labels.push_back(labels_of(program, sources));
    for (const Metric& metric : kMetricTable) {
        Writer writer(metric, format);
        if (metric.scope == MetricScope::kServer)
            writer.sample("", answer.value(metric.member, Json()));
        else
            for (size_t i = 0; i < labels.size(); ++i)
                write_program(writer, metric, answer["programs"][i], labels[i], sources);
        text += writer.text();
    }
    return text + (open_metrics ? "# EOF\n" : "");
}

}  // namespace xsched::cli
