// xsim: the command line. Every error is one sentence on standard error and status 2.
#include <cstdio>
#include <functional>

#include "base/text.h"
#include "console/checks.h"
#include "console/command_line.h"
#include "console/fold.h"
#include "console/help.h"
#include "console/man_page.h"
#include "sim/tool/commands.h"

namespace {

using namespace xsched::sim::tool;
namespace console = xsched::console;

struct Words {
    RunWords run;
    PropertyWords property;
    FitWords fit;
    FleetWords fleet;
    AblateWords ablate;
    std::string recording;
    std::function<int()> command;
};

void add_run(CLI::App& app, Words& words) {
    CLI::App* run = app.add_subcommand("run", "run a workload and show latencies, rates and shares");
    CLI::App* compare = app.add_subcommand("compare", "run a workload under several policies");
    CLI::App* replay = app.add_subcommand("replay", "simulate what 'xcli record' has seen");
    replay->preparse_callback([&words](size_t) { words.run.replay = true; });
    replay->add_option("RECORDING", words.run.file, "a file of xcli record")->required();
    for (CLI::App* command : {run, compare, replay}) {
        if (command != replay)
            command->add_option("WORKLOAD", words.run.file, "a workload (TOML, xsim.md)")->required();
        command->add_option("--seed", words.run.seed, "instead of the workload's own");
        command->add_option("--device", words.run.device,
                            "take the device's costs from this file, which xcli doctor --run has written");
        command->add_flag("--meters", words.run.meters,
                          "schedule by the lengths of commands that programs would measure, and print their error");
        command
            ->add_option("--duration", words.run.duration_s,
                         "simulate for this time: 10s, instead of the workload's own")
            ->type_name("TIME")
            ->transform(console::seconds_between(0.001, 1e7));
        command->add_flag("--native", words.run.native, "without a scheduler: the device's own time slicing");
        command->add_flag("--speed", words.run.speed, "say how many events a second were simulated");
        command->add_flag("--json", words.run.json, "print JSON");
        command->callback([&words] { words.command = [&words] { return run_command(words.run); }; });
    }
    run->add_option("--trace", words.run.trace, "also write a trace for ui.perfetto.dev");
    run->add_option("--policy", words.run.policies, "instead of the workload's own")->expected(1);
    run->add_option("--record", words.run.record, "also write what 'xcli record' would");
    const char* names = "names, with commas between them; all: every one there is";
    compare->add_option("--policy", words.run.policies, names)->delimiter(',')->required();
    replay->add_option("--policy", words.run.policies, names)->delimiter(',');
}

void add_property(CLI::App& app, Words& words) {
    CLI::App* property = app.add_subcommand("property", "check what must hold on random programs");
    property->add_option("--seed", words.property.seed, "this seed alone, with what it made");
    property->add_option("--first", words.property.first, "the first seed (1)");
    property->add_option("--seeds", words.property.seeds, "so many (100)");
    property->add_option("--client-hours", words.property.client_hours, "until so much was simulated, instead");
    CLI::Option* sparse =
        property->add_flag("--sparse", words.property.sparse, "programs that mostly rest, for ten minutes each");
    property->add_flag("--brief", words.property.brief, "a tenth of a second each, and short limits")->excludes(sparse);
    property->add_option("--policy", words.property.policy, "one policy, not several in turn; all: each by itself");
    property->add_flag("--json", words.property.json, "print JSON");
    property->callback([&words] { words.command = [&words] { return property_command(words.property); }; });
}

void add_fit(CLI::App& app, Words& words) {
    CLI::App* fit = app.add_subcommand("fit", "fit costs to a benchmark's results, and compare the rest with them");
    fit->add_option("RESULTS", words.fit.file, "JSON of the benchmark suite: main_job or lengths")->required();
    fit->add_option("--low-ms", words.fit.low_ms, "pattern A beside kernels of this length is fitted (0.3)");
    fit->add_option("--within", words.fit.within, "exit status 1 if an error is larger, in percent");
    fit->add_flag("--json", words.fit.json, "print JSON");
    fit->callback([&words] { words.command = [&words] { return fit_command(words.fit); }; });
}

void add_fleet(CLI::App& app, Words& words) {
    CLI::App* fleet = app.add_subcommand(
        "fleet",
        "say how many GPUs a fleet needs, with sharing and without; or which classes fit the jobs of "
        "recorded nodes");
    fleet->add_option("FILE", words.fleet.files, "a fleet (TOML, xsim.md), or a file of xcli record of each node")
        ->required();
    fleet->add_option("--rules", words.fleet.rules, "of recordings: write rules by program (CONFIG.md) to this file");
    fleet->add_option("--seed", words.fleet.seed, "instead of the fleet's own");
    fleet->add_flag("--json", words.fleet.json, "print JSON");
    fleet->callback([&words] { words.command = [&words] { return fleet_command(words.fleet); }; });
}

void add_work(CLI::App& app, Words& words) {
    CLI::App* work = app.add_subcommand("work", "print the work of recorded programs, for 'xcli admit --recording'");
    work->add_option("RECORDING", words.recording, "a file of xcli record")->required();
    work->callback([&words] { words.command = [&words] { return work_command(words.recording); }; });
}

void add_ablate(CLI::App& app, Words& words) {
    CLI::App* ablate = app.add_subcommand("ablate", "turn the scheduler's rules off one by one, and show what changes");
    ablate->add_option("RULE", words.ablate.rules, "these alone, by their names in rules.md");
    ablate->add_option("--workload", words.ablate.workload, "workloads with this in their names alone");
    ablate->add_option("--seed", words.ablate.seed,
                       "seed instead of the workloads' own: an effect that another seed shows as well is not chance");
    ablate->add_option("--most", words.ablate.most, "show so many workloads of each rule (3)");
    ablate->add_flag("--table", words.ablate.table, "show what the workloads give with all rules, and nothing else");
    ablate->add_option("--against", words.ablate.against,
                       "show what differs from this table, which another build wrote with --table --json");
    ablate->add_flag("--json", words.ablate.json, "print JSON");
    ablate->callback([&words] { words.command = [&words] { return ablate_command(words.ablate); }; });
}

int report(std::string sentence) {
    xsched::base::replace_controls(sentence.data(), sentence.size());  // the sentence may quote text from a file
    console::print_error("xsim: %s\n", sentence.c_str());
    return console::kUsage;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Simulates programs, devices and XSched's scheduler on a virtual clock."};
    app.require_subcommand(1);
    app.set_version_flag("--version", XSCHED_VERSION);
    app.footer(console::kWherePagesAre);
    console::add_man_page(app, "xsim", 1, XSCHED_VERSION, "No variable changes what it simulates.");
    Words words;
    add_run(app, words);
    add_property(app, words);
    add_fit(app, words);
    add_fleet(app, words);
    add_work(app, words);
    add_ablate(app, words);
    return console::run(app, argc, argv, "xsim", [&words] { return words.command(); }, report);
}
