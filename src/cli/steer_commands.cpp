// The commands that change something: policy, hint, config, limit, suspend, resume, log.
#include <memory>

#include "cli/commands.h"
#include "cli/config/show_config.h"
#include "cli/did_you_mean.h"
#include "cli/hint_options.h"
#include "cli/steer.h"

namespace xsched::cli {
namespace {

struct HintAsked {
    Target target;
    HintWords hints;
};

struct ConfigAsked {
    Target target;
    ConfigWords config;
};

void add_target(CLI::App* command, Target& target) {
    CLI::Option* who =
        add_programs(command, "PROGRAM,--pid", target.who, "numbers of processes, or parts of programs' names");
    command->add_option("-x,--queue", target.queues, "queues as 'xcli list' shows them: PID.NUMBER");
    command->add_option("--device", target.device, "all queues on this device: its number, or a part of its name")
        ->check(not_empty("the device"));
    command->add_flag("--all", target.all, "all programs that you may see")->excludes(who);
}

void add_policy(CLI::App& app, Words& words) {
    const auto given = std::make_shared<PolicyWords>();
    CLI::App* policy =
        add_command(app, words, "policy", "show the policy, change it (NAME or -s NAME), or list all (-n)",
                    [&words, given] { return steer_policy(*given, words.json); });
    policy->add_flag("-q,--query", given->query, "show the present policy");
    CLI::Option* set =
        policy->add_option("-s,--set", given->set_name, "change it to NAME")->expected(0, 1)->type_name("POLICY");
    CLI::Option* name = policy->add_option("-n,--name", given->name, "list the policies; with -s: the one to change to")
                            ->expected(0, 1)
                            ->type_name("POLICY");
    policy->add_option("NAME", given->set_name, "change it to this")
        ->type_name("POLICY")
        ->check(not_empty("the policy"));
    policy->callback([&words, given, set, name] {
        given->set = set->count() > 0;
        given->list = name->count() > 0 && given->name.empty();
        words.command = [&words, given] { return steer_policy(*given, words.json); };
    });
}

void add_hint(CLI::App& app, Words& words) {
    const auto given = std::make_shared<HintAsked>();
    CLI::App* hint = add_command(app, words, "hint", "give a queue or process hints for the policy",
                                 [&words, given] { return steer_hint(given->target, given->hints, words.json); });
    add_target(hint, given->target);
    add_former_letter(hint, "-t", "--timeslice");
    add_hints(hint, given->hints, false);
}

void add_config(CLI::App& app, Words& words) {
    const auto given = std::make_shared<ConfigAsked>();
    const auto file = std::make_shared<std::string>();
    const auto checks = std::make_shared<bool>(false);
    CLI::App* config = add_command(
        app, words, "config",
        "show the configuration and where each value comes from; or change the preempt level and window of a queue or "
        "process",
        [&words, given, file, checks] {
            if (*checks) return check_config(*file, words.json);
            if (given->target.empty() && given->config.empty()) return show_config(words.json);
            if (given->target.who.size() == 1 && given->config.empty())
                if (const std::string suggestion = meant({"check"}, given->target.who[0]); !suggestion.empty())
                    throw Failure("xcli config has no \"" + given->target.who[0] + "\"" + suggestion);
            return steer_config(given->target, given->config, words.json);
        });
    const char* const status =
        "Exit status: 0 nothing is wrong in the files, 1 something is; 2 the command line makes no sense, 3 no server "
        "answers, 4 there is no such program or queue, 5 the server refuses.";
    config->footer(status);
    add_target(config, given->target);
    config->add_option("-l,--level", given->config.level, "preempt level 1..3")
        ->check(between(1, kPreemptLevelInterrupt));
    add_former_letter(config, "-t", "--threshold");
    config->add_option("--threshold", given->config.threshold, "most commands in flight")
        ->check(between(1, UINT16_MAX));
    config->add_option("-b,--batch", given->config.batch_size, "commands launched at a time")
        ->check(between(1, UINT16_MAX));
    CLI::App* check = config->add_subcommand("check", "say what is wrong with configuration files, and what is right");
    check->parse_complete_callback([checks] { *checks = true; });
    check->add_option("FILE", *file, "the file (all files that are read)")->type_name("FILE");
    check->footer(status);
    check->add_flag("--json", words.json, "print JSON");
}

void add_limit(CLI::App& app, Words& words) {
    const auto given = std::make_shared<std::string>();
    CLI::App* limit =
        add_command(app, words, "limit", "change a user's or control group's limits on the server ('status --limits')",
                    [&words, given] { return steer_limit(*given, words.json); });
    limit
        ->add_option(
            "SETTING", *given,
            "NAME=NUMBER for all ordinary users, USER:NAME=NUMBER for one, or /CGROUP:NAME=NUMBER with "
            "share, device-limit, highest-priority, memory-limit or memory-guarantee (20GiB); the value default "
            "takes the limit back")
        ->required()
        ->check(not_empty("the limit"));
}

struct SuspensionAsked {
    Target target;
    Suspension what;
};

// suspend, or resume.
void add_suspension(CLI::App& app, Words& words, const char* name, const char* help, bool suspend) {
    const auto given = std::make_shared<SuspensionAsked>();
    given->what.suspend = suspend;
    CLI::App* command = add_command(
        app, words, name, help, [&words, given] { return steer_suspension(given->target, given->what, words.json); });
    add_target(command, given->target);
    if (suspend)
        command->add_flag("--memory", given->what.memory,
                          "move its device memory to the host as well, until it is resumed (see 'xcli run "
                          "--evictable'; of a CUDA program without, by the driver's checkpoint)");
}

void add_log(CLI::App& app, Words& words) {
    const auto given = std::make_shared<std::string>();
    CLI::App* log = add_command(app, words, "log", "show or change the server's log level",
                                [&words, given] { return steer_log(*given, words.json); });
    log->add_option("LEVEL", *given, "DEBG, INFO, WARN or ERRO")->type_name("LEVEL")->transform(log_level());
}

}  // namespace

void add_steering_commands(CLI::App& app, Words& words) {
    add_policy(app, words);
    add_hint(app, words);
    add_config(app, words);
    add_limit(app, words);
    add_suspension(app, words, "suspend", "suspend a process or queue until it is resumed", true);
    add_suspension(app, words, "resume", "let a suspended process or queue go on", false);
    add_log(app, words);
}

}  // namespace xsched::cli
