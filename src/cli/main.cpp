// xcli: the command line. Every error is one sentence on standard error; the exit statuses: server_link.h.
#include <cstdio>

#include "base/short_name.h"
#include "cli/did_you_mean.h"
#include "cli/doctor.h"
#include "cli/doctor_run.h"
#include "cli/examples.h"
#include "cli/explain.h"
#include "cli/fields.h"
#include "cli/latency_target.h"
#include "cli/metrics.h"
#include "cli/record.h"
#include "cli/report.h"
#include "cli/run.h"
#include "cli/shell_words.h"
#include "cli/show.h"
#include "cli/steer.h"
#include "cli/top.h"
#include "cli/trace.h"
#include "cli/version.h"
#include "cli/watch.h"
#include "cli/web.h"
#include "cli/windows.h"
#include "console/command_line.h"
#include "xsched/types.h"

namespace {

using namespace xsched::cli;
namespace base = xsched::base;
namespace console = xsched::console;

// Everything the command line can say.
struct Words {
    bool json = false;
    RunOptions run;
    std::vector<std::string> program;
    bool limits = false;
    bool wide = false;
    std::string columns;
    WatchWords watch;
    std::string setting;
    std::string level;
    TopWords top;
    std::string root;
    bool run_doctor = false;
    DoctorRun doctor;
    PolicyWords policy;
    Target target;
    HintWords hint;
    RecordWords record;
    WindowsWords windows;
    TraceWords trace;
    ReportWords report;
    ExplainWords explain;
    MetricsWords metrics;
    WebWords web;
    ConfigWords config;
    std::function<int()> command;
};

CLI::App* add_command(CLI::App& app, Words& words, const char* name, const char* help,
                      const std::function<int()>& body) {
    CLI::App* command = app.add_subcommand(name, help);
    command->add_flag("--json", words.json, "print JSON");
    command->callback([&words, body] { words.command = body; });
    return command;
}

CLI::Range between(int64_t least, int64_t most) { return CLI::Range(least, most); }

// "-t,--timeslice", or its long name alone where the short one is another option's.
std::string names_left(CLI::App& command, const std::string& words) {
    const size_t comma = words.find(',');
    const bool taken = comma != std::string::npos && command.get_option_no_throw(words.substr(0, comma)) != nullptr;
    return taken ? words.substr(comma + 1) : words;
}

// The number of a name; what is a number stays one.
std::string read_name(const std::string& text) {
    if (!text.empty() && (base::is_digit(text.front()) || text.front() == '-')) return text;
    const int64_t number = base::number_of_name(text);
    if (number == 0)
        throw CLI::ValidationError("\"" + text +
                                   "\" is no name: use 1 to 12 letters, digits and hyphens, a letter first");
    return std::to_string(number);
}

// Those that `command` takes. `xcli run` checks numbers itself, since no server will.
void add_hints(CLI::App* command, HintWords& given, bool run) {
    for (const base::HintInfo& hint : base::kHints) {
        if (hint.words == nullptr || (run && hint.in_run != base::HintInRun::kRun)) continue;
        std::string help = hint.help;
        if (run) help += " (default " + std::to_string(hint.fallback) + ")";
        if (!run && hint.scope == base::HintScope::kProcess) help += "; without queue or process: of all";
        CLI::Option* option = command->add_option(names_left(*command, hint.words), given.of(hint), help);
        if (run) option->check(between(hint.least, hint.most));
        if (hint.kind == base::HintKind::kTarget)
            option->transform([](const std::string& text) { return read_latency_target(text); });
        if (hint.kind == base::HintKind::kName) option->transform(read_name);
    }
}

void add_run(CLI::App& app, Words& words) {
    CLI::App* run =
        add_command(app, words, "run", "run a program under XSched: xcli run [OPTIONS] -- PROGRAM [ARGUMENTS]",
                    [&words] { return run_program(words.run, words.program); });
    run->add_option("-l,--level", words.run.level, "preempt level 1..3; 0: the highest that the hardware supports")
        ->check(between(0, kPreemptLevelInterrupt));
    run->add_option("-t,--threshold", words.run.threshold, "most commands in flight; 0: chosen automatically")
        ->check(between(0, 65535));
    run->add_option("-b,--batch", words.run.batch_size, "commands launched at a time; 0: half the threshold")
        ->check(between(0, 65535));
    run->add_option("--policy", words.run.policy, "the policy, if this starts the server or with --scheduler local");
    run->add_option("--scheduler", words.run.scheduler, "global (default), local or app");
    run->add_option("--log", words.run.log_level,
                    "DEBG, INFO, WARN (default, unless XLOG_LEVEL or XLOG_FILE is set) or ERRO");
    CLI::Option* tell = run->add_flag("--tell", words.run.tells,
                                      "stay until the program has ended, and say so if it used no device under XSched "
                                      "(the default at a terminal)");
    run->add_flag("--no-tell", words.run.leaves, "become the program (the default elsewhere)")->excludes(tell);
    add_hints(run, words.run.hints, true);
}

int call_doctor(Words& words) {
    if (!words.run_doctor) return show_doctor(words.root, words.json);
    words.doctor.json = words.json;
    if (!words.root.empty()) words.doctor.root = words.root;
    return run_doctor(words.doctor);
}

void add_doctor(CLI::App& app, Words& words) {
    CLI::App* doctor =
        add_command(app, words, "doctor", "show what this machine offers, and the reason for every \"no\"",
                    [&words] { return call_doctor(words); });
    doctor->footer(
        "Exit status of --run: 0 every level that was asked for is to be used (or the platform has none such), 1 one "
        "is "
        "not, 2 nothing could be tried.");
    doctor->add_option("--root", words.root, "look at the system in this folder (an image), not at the running one");
    CLI::Option* run = doctor->add_flag("--run", words.run_doctor,
                                        "try it: each level's parts and the main job, in child processes, in under two "
                                        "minutes");
    const auto with_run = [&](CLI::Option* option) {
        option->needs(run);
        return option;
    };
    DoctorRun& asked = words.doctor;
    with_run(
        doctor->add_option("--platform", asked.platform, "one that xcli doctor shows; else the first that is there"));
    with_run(doctor->add_option("--level", asked.level, "the highest preempt level that is tried (3)"))
        ->check(between(1, kPreemptLevelInterrupt));
    with_run(doctor->add_option("--save", asked.save, "also write all that was found to this file, as JSON"));
    with_run(doctor->add_option("--seconds", asked.seconds, "of the main job, each time (6)"))
        ->check(CLI::Range(0.1, 10.0));
    with_run(doctor->add_option("--steps", asked.only, "only these, divided by commas"));
    with_run(doctor->add_option("--patience", asked.patience_s,
                                "seconds that a step may take besides what it measures, instead of its own limit"))
        ->check(CLI::Range(0.5, 60.0));
}

void add_trace(CLI::App& app, Words& words) {
    CLI::App* trace =
        add_command(app, words, "trace", "write what the server schedules as a trace for https://ui.perfetto.dev",
                    [&words] { return xsched::cli::trace(words.trace, words.json); });
    trace->footer(
        "Examples:\n"
        "  xcli trace -t 10s -o x.pftrace          what happens in the next 10 s; control-C ends it before\n"
        "  xcli trace --last -o slow.pftrace       what happened in the last 30 s, from the server's flight recorder\n"
        "  xcli trace --last 5s -o slow.pftrace");
    trace->add_option("-o,--out", words.trace.file, "the file")->required();
    CLI::Option* time = trace->add_option("-t,--time", words.trace.time, "for how long: 10s (the default), 500ms, 2m");
    CLI::Option* last =
        trace->add_option("--last", words.trace.last, "what was in the last 30s, or in so long, instead");
    last->expected(0, 1)->excludes(time);
    trace->callback([&words, last] {
        words.trace.from_recorder = last->count() > 0;
        if (words.trace.last.empty()) words.trace.last = TraceWords{}.last;
        words.command = [&words] { return xsched::cli::trace(words.trace, words.json); };
    });
}

void add_report(CLI::App& app, Words& words) {
    CLI::App* report =
        add_command(app, words, "report", "measure what XSched does for one's programs, and write a page about it",
                    [&words] { return report_on_programs(words.report, words.program, words.json); });
    report->footer(
        "A program given as 'xcli report [OPTIONS] -- PROGRAM [ARGUMENTS]' runs beside itself.\n"
        "Example: xcli report --urgent \"./serve.py\" --background \"./train.py\" -o report.html -t 2m\n"
        "Exit status: 0 the page is written, 1 nothing could be measured, 2 the command line makes no sense.");
    report->add_option("--urgent", words.report.urgent, "the command whose bursts of work are to be fast");
    report->add_option("--background", words.report.background,
                       "the command that runs beside it (the urgent one once more)");
    report->add_option("-o,--out", words.report.out, "the page, .html or .md (report.html)");
    report->add_option("-t,--time", words.report.time,
                       "for how long to measure in all, besides the programs' start-ups (1m)");
    report->add_option("--rounds", words.report.rounds, "how often each way is measured, in turns (3)")
        ->check(between(1, 100));
}

void add_web(CLI::App& app, Words& words) {
    CLI::App* page =
        add_command(app, words, "web", "serve a page that shows and steers all this, and an HTTP API for tools",
                    [&words] { return web(words.web, words.json); });
    page->add_option("--listen", words.web.listen,
                     "only at this Unix socket or 127.0.0.1:PORT; several times: at all of them");
    page->add_option("--token-file", words.web.token_file,
                     "the token to ask for; made if it is not there (a port gets a fresh one)");
    page->add_flag("--openapi", words.web.openapi, "print what the API has, as OpenAPI 3.0");
}

void add_views(CLI::App& app, Words& words) {
    CLI::App* list = add_command(app, words, "list", "show the queues", [&words] {
        return watch(words.watch, [&words] { return show_list(words.wide || !words.columns.empty(), words.json); });
    });
    list->add_flag("--wide", words.wide, "all columns, wider than 80 characters");
    list->add_option("-o,--output", words.columns, "wide: the same")->check(CLI::IsMember({"wide"}));
    add_watch(list, words.watch);
    CLI::App* status = add_command(app, words, "status", "explain what runs, what is suspended and why", [&words] {
        return watch(words.watch, [&words] {
            return words.limits ? show_limits(words.json) : show_status(words.target, words.json);
        });
    });
    CLI::Option* pid = status->add_option("PROGRAM", words.target.who, "only these: numbers of processes, or names");
    add_watch(status, words.watch);
    status->add_flag("--limits", words.limits, "what each user may have of the server, and has")->excludes(pid);
    CLI::App* explain = add_command(
        app, words, "explain", "say why a program is as fast as it is, and what to do",
        [&words] { return watch(words.watch, [&words] { return xsched::cli::explain(words.explain, words.json); }); });
    add_watch(explain, words.watch);
    explain->add_option("PROGRAM", words.explain.who, "only these: numbers of processes, or parts of programs' names");
    CLI::Option* slow = explain->add_option("--slow", words.explain.slow,
                                            "follow it, and explain each burst that takes longer than this: 5ms");
    explain->add_option("-t,--time", words.explain.time, "with --slow: for how long (1m)")->needs(slow);
    CLI::App* top = add_command(app, words, "top", "show the programs and what they get, live; ? in it for its keys",
                                [&words] { return show_top(words.top, words.json); });
    top->add_option("--interval", words.top.interval_s, "seconds between two looks (1)")
        ->check(CLI::Range(0.05, 3600.0));
    top->add_option("-f", words.top.frequency, "looks per second, instead of --interval")
        ->check(CLI::Range(0.001, 20.0));
    top->add_flag("--once", words.top.once, "print one look and leave");
    top->add_option("--sort", words.top.sort, "by pid, program, priority, got, held (default), preemptions or burst");
    top->add_option("--filter", words.top.filter, "only programs with this in their name or number");
    CLI::App* windows =
        add_command(app, words, "windows", "tell the server whose window is active, for policy AWF, until ended",
                    [&words] { return follow_windows(words.windows); });
    windows->add_option("--display", words.windows.display, "the display's number, for machines with several")
        ->check(CLI::Range(1, 255));
    CLI::App* record = add_command(app, words, "record", "write what the server sees and decides into a file for xsim",
                                   [&words] { return xsched::cli::record(words.record, words.json); });
    record->add_option("-o,--out", words.record.file, "the file")->required();
    record->add_option("-t,--time", words.record.time, "for how long: 10s (the default), 500ms, 2m");
    add_trace(app, words);
    CLI::App* metrics = add_command(app, words, "metrics", "print numbers for Prometheus (OpenMetrics), or serve them",
                                    [&words] { return xsched::cli::metrics(words.metrics, words.json); });
    metrics->add_flag("--definitions", words.metrics.definitions, "say what each of them means");
    metrics->add_option("--listen", words.metrics.listen,
                        "serve them over HTTP, at this Unix socket or at 127.0.0.1:PORT");
    metrics->add_option("--token-file", words.metrics.token_file, "with a port: a file with the token to ask for");
    add_command(app, words, "server", "show the server", [&words] { return show_server(words.json); });
    add_command(app, words, "options", "show the environment variables that programs under XSched read",
                [&words] { return show_options(words.json); });
    add_command(app, words, "json", "say what the keys of --json mean", [&words] { return show_fields(words.json); });
    add_doctor(app, words);
}

void add_target(CLI::App* command, Words& words) {
    command->add_option("PROGRAM,--pid", words.target.who, "numbers of processes, or parts of programs' names");
    command->add_option("-x,--queue", words.target.queues, "queues as 'xcli list' shows them: PID.NUMBER");
    command->add_option("--device", words.target.device,
                        "all queues on this device: its number, or a part of its name");
    command->add_flag("--all", words.target.all, "all programs that you may see");
}

void add_steering(CLI::App& app, Words& words) {
    CLI::App* policy = add_command(app, words, "policy", "show, change (NAME or -s NAME) or list (-n) the policy",
                                   [&words] { return steer_policy(words.policy, words.json); });
    policy->add_flag("-q,--query", words.policy.query, "show the present policy");
    CLI::Option* set = policy->add_option("-s,--set", words.policy.set_name, "change it to NAME")->expected(0, 1);
    CLI::Option* name =
        policy->add_option("-n,--name", words.policy.name, "list the policies; with -s: the name")->expected(0, 1);
    policy->add_option("NAME", words.policy.set_name, "change it to this");
    policy->callback([&words, set, name] {
        words.policy.set = set->count() > 0;
        words.policy.list = name->count() > 0 && words.policy.name.empty();
        words.command = [&words] { return steer_policy(words.policy, words.json); };
    });
    CLI::App* hint = add_command(app, words, "hint", "change what the policy knows of a queue or process",
                                 [&words] { return steer_hint(words.target, words.hint, words.json); });
    add_target(hint, words);
    add_hints(hint, words.hint, false);
    CLI::App* config = add_command(app, words, "config", "change the preempt level and window of a queue or process",
                                   [&words] { return steer_config(words.target, words.config, words.json); });
    add_target(config, words);
    config->add_option("-l,--level", words.config.level, "preempt level 1..3");
    config->add_option("-t,--threshold", words.config.threshold, "most commands in flight");
    config->add_option("-b,--batch", words.config.batch_size, "commands launched at a time");
    CLI::App* limit = add_command(app, words, "limit", "change what a user may have of the server ('status --limits')",
                                  [&words] { return steer_limit(words.setting, words.json); });
    limit->add_option("SETTING", words.setting, "NAME=NUMBER for all ordinary users, or USER:NAME=NUMBER for one")
        ->required();
    CLI::App* suspend = add_command(app, words, "suspend", "stop a process or queue until it is resumed",
                                    [&words] { return steer_suspension(words.target, true, words.json); });
    add_target(suspend, words);
    CLI::App* resume = add_command(app, words, "resume", "let a suspended process or queue go on",
                                   [&words] { return steer_suspension(words.target, false, words.json); });
    add_target(resume, words);
    CLI::App* log = add_command(app, words, "log", "show what the server logs, or change it",
                                [&words] { return steer_log(words.level, words.json); });
    log->add_option("LEVEL", words.level, "DEBG, INFO, WARN or ERRO");
}

// For packages and shells; no part of the help. False: it is another command.
bool print_about_itself(const CLI::App& app, int argc, char** argv) {
    const std::string word = argc > 1 ? argv[1] : "help";
    const std::string more = argc > 2 ? argv[2] : "";
    if (word == "help") {
        print(more.empty() ? app.help() : app.get_subcommand(more)->help("xcli"));
    } else if (word == "man") {
        print(man_page(app, XSCHED_VERSION));
    } else if (word == "completion") {
        const std::string script = completion(app, more);
        if (script.empty()) throw Failure("say for which shell: xcli completion bash, zsh or fish");
        print(script);
    } else {
        return false;
    }
    return true;
}

// CLI11 would only say that some command is required.
bool is_unknown_command(const CLI::App& app, const char* word) {
    if (word == nullptr || *word == '-') return false;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (command->get_name() == word) return false;
    return true;
}

int report(const Words& words, const std::string& sentence, Status status = kUsage) {
    fprintf(stderr, "xcli: %s\n", sentence.c_str());
    if (words.json) print(Json{{"ok", false}, {"error", sentence}, {"status", int{status}}}.dump(2) + "\n");
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Runs programs under XSched, shows what is scheduled and why, and steers it.", "xcli"};
    app.require_subcommand(1);
    app.set_version_flag("-V,--version", version_text());
    app.footer(
        "Exit status: 0 done, 2 the command line makes no sense, 3 no server answers, 4 there is no such program or\n"
        "queue, 5 the server refuses. 'xcli run' ends as its program does.");
    Words words;
    add_run(app, words);
    add_report(app, words);
    add_views(app, words);
    add_web(app, words);
    add_steering(app, words);
    add_examples(app);
    try {
        if (print_about_itself(app, argc, argv)) return 0;
    } catch (const CLI::Error&) {
        return report(words, std::string("there is no command \"") + argv[2] + "\"" + meant(commands_of(app), argv[2]));
    } catch (const Failure& failure) {
        return report(words, failure.what(), failure.status());
    }
    if (is_unknown_command(app, argv[1]))
        return report(words, std::string("there is no command \"") + argv[1] + "\"" + meant(commands_of(app), argv[1]) +
                                 ": see 'xcli --help'");
    const int ours = split_off_program(argc, argv, words.program);
    const auto refuse = [&](const std::string& sentence) {
        return report(words, sentence + meant_option(app, sentence));
    };
    const auto command = [&words] {
        try {
            return words.command();
        } catch (const Failure& failure) {
            return report(words, failure.what(), failure.status());
        }
    };
    return console::run(app, ours, argv, "xcli", command, refuse);
}
