// Commands that start a user's program: run, admit, report, demo.
#include <memory>

#include "cli/admit/admit.h"
#include "cli/commands.h"
#include "cli/hint_options.h"
#include "cli/report.h"
#include "cli/run.h"
#include "xsched/types.h"

namespace xsched::cli {
namespace {

// Adds what `xcli run` takes: how a program is run.
void add_run_options(CLI::App* run, Words& words, const std::shared_ptr<RunOptions>& options) {
    run->add_option(
           "-l,--level", options->level,
           "preempt level 1..3, or the highest below it that the queue has; 0: the highest that is used unasked")
        ->check(between(0, kPreemptLevelInterrupt));
    run->add_option("--threshold", options->threshold, "most commands in flight; 0: chosen automatically")
        ->check(between(0, 65535));
    run->add_option("-b,--batch", options->batch_size, "commands launched at a time; 0: half the threshold")
        ->check(between(0, 65535));
    run->add_option("--policy", options->policy, "the policy, if this starts the server or with --scheduler local")
        ->check(not_empty("the policy"));
    run->add_option("--scheduler", options->scheduler, "global (default), local or app")
        ->transform(one_of("scheduler", {"global", "local", "app"}, {"GLB", "LCL", "APP"}));
    run->add_option(
           "--log", options->log_level,
           std::string("DEBG, INFO, WARN or ERRO (") + kRunLogLevel + ", unless XLOG_LEVEL or XLOG_FILE is set)")
        ->type_name("LEVEL")
        ->transform(log_level());
    CLI::Option* pool =
        run->add_flag("--pool", options->in_pool.pool,
                      "in your pool: one context for all programs in it, which run beside each other where that costs "
                      "the more urgent ones hardly anything (NVIDIA; see 'xcli pool')");
    run->add_option("--max-restarts", options->in_pool.restarts,
                    "with --pool: begin the program again in a fresh pool when another program's fault has taken the "
                    "pool with it, this many times at most (0)")
        ->check(between(0, 1000))
        ->type_name("TIMES")
        ->needs(pool);
    run->add_option("--grace-period", options->in_pool.grace,
                    "with --pool: how long the program may go on then before it is ended (10s)")
        ->type_name("TIME")
        ->needs(pool);
    CLI::Option* tell = run->add_flag("--tell", options->tells,
                                      "when the program has ended, say so if it used no device under XSched (the "
                                      "default at a terminal, where a shell's prompt may come first)");
    run->add_flag("--no-tell", options->leaves, "say nothing then (the default elsewhere), in the server's log neither")
        ->excludes(tell);
    add_hints(run, options->hints, true);
    add_program(run, words)->option_text("-- PROGRAM [ARGUMENTS]");
}

void add_run(CLI::App& app, Words& words) {
    const auto options = std::make_shared<RunOptions>();
    CLI::App* run = add_command(app, words, "run", "run a program under XSched",
                                [&words, options] { return run_program(*options, words.program); });
    run->get_option("--json")->description("print a refusal as JSON, too; the rest of the output is the program's");
    add_run_options(run, words, options);
}

void add_admit(CLI::App& app, Words& words) {
    const auto asked = std::make_shared<AdmitWords>();
    CLI::App* admit = add_command(app, words, "admit", "run a program if all latency targets still hold with it",
                                  [&words, asked] { return xsched::cli::admit(*asked, words.program, words.json); });
    admit->footer(
        "Exit status: that of the program if it runs; otherwise 0 it would be admitted (--check), 4 too little is "
        "known, "
        "5 refused.");
    admit->add_flag("--check", asked->check, "say whether it would be admitted, and run nothing");
    admit->add_option("--wait", asked->wait, "wait for so long at most until the targets hold: 10m")->type_name("TIME");
    admit
        ->add_option("--unknown", asked->unknown,
                     "what to do with a program of which nothing is known: refuse (default), or run it on trial")
        ->transform(one_of("way", {"refuse", "run"}));
    admit->add_option("--name", asked->name,
                      "the program's name in 'xcli status', if its command line does not tell it");
    admit->add_option("--device", asked->device, "the device's number in 'xcli list', if several are in use")
        ->check(between(0, INT32_MAX));
    admit
        ->add_option("--recording", asked->recording,
                     "take the program's work from this file of xcli record, not from what the server remembers")
        ->type_name("FILE");
    admit
        ->add_option("--programs", asked->programs,
                     "say it for the programs in this file instead of those that run; runs nothing")
        ->type_name("FILE");
    add_run_options(admit, words, std::shared_ptr<RunOptions>(asked, &asked->run));
}

void add_report(CLI::App& app, Words& words) {
    const auto asked = std::make_shared<ReportWords>();
    CLI::App* report =
        add_command(app, words, "report", "measure what XSched does for your programs, and write a report",
                    [&words, asked] { return report_on_programs(*asked, words.program, words.json); });
    report->footer(
        "Exit status: 0 the page is written, 1 nothing could be measured, 2 the command line makes no sense.");
    report->add_option("--urgent", asked->urgent, "the command whose bursts should be fast");
    report->add_option("--background", asked->background, "the command that runs beside it (the urgent one once more)");
    add_out(report, asked->out, "the page, .html or .md (report.html)");
    report->add_option("-t,--time", asked->time, "how long to measure in total, without the programs' start-up (1m)");
    add_program(report, words)->option_text("[-- PROGRAM [ARGUMENTS]]");
    report->add_option("--rounds", asked->rounds, "how many rounds each way is measured (3)")->check(between(1, 100));
}

void add_demo(CLI::App& app, Words& words) {
    const auto out = std::make_shared<std::string>("xsched-demo.html");
    CLI::App* demo =
        add_command(app, words, "demo", "show in about a minute what an urgent program gains on this device",
                    [&words, out] { return run_demo(*out, words.json); });
    demo->footer("Exit status: 0 it helped, or could not be judged, 1 it did not, 2 nothing could be measured.");
    add_out(demo, *out, "the page (xsched-demo.html); the numbers go beside it");
}

}  // namespace

void add_program_commands(CLI::App& app, Words& words) {
    for (const auto add : {add_run, add_admit, add_report, add_demo}) add(app, words);
}

}  // namespace xsched::cli
