// The server's facts as text for Prometheus (metrics.def, labels.def). One thread at a time.
#pragma once

#include <cstddef>
#include <string>

#include "cli/metrics/label_sources.h"
#include "cli/server_link.h"

namespace xsched::cli {

enum class MetricType { kCounter, kGauge, kHistogram };
enum class MetricScope { kServer, kProgram, kState, kMechanism, kDevice };

struct Metric {
    const char* name;  // "xsched_program_held_seconds"
    MetricType type;
    MetricScope scope;
    const char* member;
    double scale;
    const char* unit;  // "": it has none
    const char* help;
};
inline constexpr size_t kMetrics = 0
#define XSCHED_METRIC(...) +1
#include "cli/metrics/metrics.def"
#undef XSCHED_METRIC
    ;
extern const Metric kMetricTable[kMetrics];

struct MetricLabel {
    const char* name;
    const char* help;
};
inline constexpr size_t kMetricLabels = 0
#define XSCHED_LABEL(...) +1
#include "cli/metrics/labels.def"
#undef XSCHED_LABEL
    ;
extern const MetricLabel kMetricLabelTable[kMetricLabels];
const char* metric_type_word(MetricType type);

// The formats in which metrics are written. Prometheus asks for OpenMetrics over HTTP. node_exporter's textfile
// collector and promtool read the older format alone: https://prometheus.io/docs/instrumenting/exposition_formats.
enum class MetricsFormat { kPrometheus, kOpenMetrics };
// Returns the format that the header Accept of a request prefers; the older one if it prefers none.
MetricsFormat metrics_format(const std::string& accepted);
const char* metrics_content_type(MetricsFormat format);

// Returns the text. `answer`: the answer to {"cmd": "programs", "buckets": true}, all pages. Histograms have a bucket
// for each power of two from 1 us to 137 s. The buckets are the same everywhere, so histograms of programs and machines
// can be added up.
std::string metrics_text(const Json& answer, MetricsFormat format, const LabelSources& sources = LabelSources());

}  // namespace xsched::cli
