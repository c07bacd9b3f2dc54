// Commands that follow events, mostly for other programs: windows, record, trace, metrics.
#include <memory>

#include "cli/commands.h"
#include "cli/metrics/metrics.h"
#include "cli/record.h"
#include "cli/trace/trace.h"
#include "cli/windows.h"

namespace xsched::cli {
namespace {

void add_windows(CLI::App& app, Words& words) {
    const auto given = std::make_shared<WindowsWords>();
    CLI::App* windows =
        add_command(app, words, "windows", "tell the server whose window is active, for policy AWF, until ended",
                    [&words, given] { return follow_windows(*given, words.json); });
    windows->add_option("--display", given->display, "the display's number, for machines with several")
        ->check(between(1, 255));
}

void add_record(CLI::App& app, Words& words) {
    const auto given = std::make_shared<RecordWords>();
    CLI::App* record = add_command(app, words, "record", "write what the server sees and decides into a file for xsim",
                                   [&words, given] { return xsched::cli::record(*given, words.json); });
    add_out(record, given->file, "the file")->required();
    record->add_option("-t,--time", given->time, "for how long: 10s (the default), 500ms, 2m");
}

void add_trace(CLI::App& app, Words& words) {
    const auto given = std::make_shared<TraceWords>();
    CLI::App* trace =
        add_command(app, words, "trace", "write what the server schedules as a trace for https://ui.perfetto.dev",
                    [&words, given] { return xsched::cli::trace(*given, words.json); });
    add_out(trace, given->file, "the file")->required();
    CLI::Option* time = trace->add_option("-t,--time", given->time, "for how long: 10s (the default), 500ms, 2m");
    CLI::Option* last = trace->add_option("--last", given->last, "save the last 30s, or this much of them, instead");
    last->expected(0, 1)->excludes(time);
    trace->callback([&words, given, last] {
        given->from_recorder = last->count() > 0;
        if (given->last.empty()) given->last = TraceWords{}.last;
        words.command = [&words, given] { return xsched::cli::trace(*given, words.json); };
    });
}

void add_metrics(CLI::App& app, Words& words) {
    const auto given = std::make_shared<MetricsWords>();
    CLI::App* metrics = add_command(app, words, "metrics", "print numbers for Prometheus, or serve them",
                                    [&words, given] { return xsched::cli::metrics(*given, words.json); });
    metrics->add_flag("--definitions", given->definitions, "say what each of them means");
    metrics->add_option("--listen", given->listen, "serve them over HTTP, at this Unix socket or at 127.0.0.1:PORT");
    metrics
        ->add_option("--token-file", given->token_file,
                     "with a port: where to write the token to ask for, a new one at each start")
        ->check(not_empty("the file"));
    metrics->add_option("--token-group", given->token_group, "this group may read that file too (that of Prometheus)");
}

}  // namespace

void add_history_commands(CLI::App& app, Words& words) {
    for (const auto add : {add_windows, add_record, add_trace, add_metrics}) add(app, words);
}

}  // namespace xsched::cli
