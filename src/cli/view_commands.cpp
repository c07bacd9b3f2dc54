// Commands that show what is scheduled: list, status, explain, top; and what is set: server, options, json.
#include <memory>

#include "cli/commands.h"
#include "cli/explain/explain.h"
#include "cli/show.h"
#include "cli/top/top.h"
#include "cli/watch.h"

namespace xsched::cli {
namespace {

struct ListWords {
    bool wide = false;
    std::string columns;
    WatchWords watch;
};

struct StatusWords {
    Target target;
    bool limits = false;
    bool promises = false;
    WatchWords watch;
};

struct ExplainAsked {
    ExplainWords said;
    WatchWords watch;
};

void add_list(CLI::App& app, Words& words) {
    const auto given = std::make_shared<ListWords>();
    CLI::App* list = add_command(app, words, "list", "show the queues", [&words, given] {
        return watch(given->watch,
                     [&words, given] { return show_list(given->wide || !given->columns.empty(), words.json); });
    });
    list->add_flag("--wide", given->wide, "all columns, wider than 80 characters");
    list->add_option("-o,--output", given->columns, "wide: as --wide")
        ->transform(one_of("output", {"wide"}))
        ->group("");
    add_watch(list, given->watch);
}

void add_status(CLI::App& app, Words& words) {
    const auto given = std::make_shared<StatusWords>();
    CLI::App* status =
        add_command(app, words, "status", "explain what runs, what is suspended and why", [&words, given] {
            return watch(given->watch, [&words, given] {
                if (given->promises) return show_promises(words.json);
                return given->limits ? show_limits(words.json) : show_status(given->target, words.json);
            });
        });
    CLI::Option* pid =
        add_programs(status, "PROGRAM,--pid", given->target.who, "only these: numbers of processes, or names");
    add_watch(status, given->watch);
    CLI::Option* limits =
        status->add_flag("--limits", given->limits, "each user's limits on the server, and what is used");
    limits->excludes(pid);
    status
        ->add_flag("--promises", given->promises, "what 'xcli admit' promised to programs, and how much of it was kept")
        ->excludes(pid)
        ->excludes(limits);
}

void add_explain(CLI::App& app, Words& words) {
    const auto given = std::make_shared<ExplainAsked>();
    CLI::App* explain =
        add_command(app, words, "explain", "say why a program is as fast as it is, and what to do", [&words, given] {
            return watch(given->watch, [&words, given] { return xsched::cli::explain(given->said, words.json); });
        });
    add_watch(explain, given->watch);
    add_programs(explain, "PROGRAM,--pid", given->said.who,
                 "only these: numbers of processes, or parts of programs' names");
    CLI::Option* slow = explain
                            ->add_option("--slow", given->said.slow,
                                         "follow it, and explain each burst that takes longer than this: 5ms")
                            ->type_name("TIME");
    explain->add_option("-t,--time", given->said.time, "with --slow: for how long (1m)")->needs(slow);
}

void add_top(CLI::App& app, Words& words) {
    const auto given = std::make_shared<TopWords>();
    CLI::App* top = add_command(app, words, "top", "show programs and what they get, live (? lists the keys)",
                                [&words, given] { return show_top(*given, words.json); });
    CLI::Option* interval = top->add_option("--interval", given->interval, "time between two looks: 500ms (1s)")
                                ->check(is_interval())
                                ->type_name("TIME");
    top->add_option("-f", given->frequency, "updates per second, instead of --interval")
        ->check(between_fractions(0.001, 20.0))
        ->excludes(interval);
    top->add_flag("--once", given->once, "print one look and leave");
    top->add_option("--sort", given->sort, "by pid, program, priority, got, held (default), preemptions or burst")
        ->transform(one_of("order", top_sort_words()));
    top->add_option("--filter", given->filter, "only programs with this in their name or number");
}

}  // namespace

void add_view_commands(CLI::App& app, Words& words) {
    for (const auto add : {add_list, add_status, add_explain, add_top}) add(app, words);
}

void add_facts_commands(CLI::App& app, Words& words) {
    add_command(app, words, "server", "show the server", [&words] { return show_server(words.json); });
    const auto debug = std::make_shared<bool>(false);
    add_command(app, words, "options", "show the environment variables that programs under XSched read",
                [&words, debug] { return show_options(*debug, words.json); })
        ->add_flag("--debug", *debug, "the keys of XSCHED_DEBUG instead: switches for the laboratory");
    const auto key = std::make_shared<std::string>();
    add_command(app, words, "json", "say what the keys of --json mean",
                [&words, key] { return show_fields(*key, words.json); })
        ->add_option("KEY", *key, "this key alone")
        ->type_name("KEY");
}

}  // namespace xsched::cli
