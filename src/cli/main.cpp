// xcli: the command line. Every error is one sentence on standard error; the exit statuses: server_link.h.
#include <algorithm>
#include <cstdio>

#include "base/standard_fds.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/did_you_mean.h"
#include "cli/examples.h"
#include "cli/run.h"
#include "cli/server_link.h"
#include "cli/show.h"
#include "cli/version.h"
#include "console/command_line.h"
#include "console/fold.h"
#include "console/help.h"

namespace {

using namespace xsched::cli;
namespace console = xsched::console;

int report(const Words& words, std::string sentence, Status status = kUsage) {
    xsched::base::replace_controls(sentence.data(), sentence.size());  // the sentence may quote a file's name or an
                                                                       // argument
    console::print_error("xcli: %s\n", sentence.c_str());
    if (!words.json) return status;
    try {
        print(Json{{"ok", false}, {"error", sentence}, {"status", int{status}}}.dump(2, ' ', false,
                                                                                     Json::error_handler_t::replace) +
              "\n");
    } catch (const Failure&) {
        // standard output is lost, as the sentence may have said already
    }
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    xsched::base::hold_standard_fds();
    CLI::App app{"Runs programs under XSched, shows what is scheduled and why, and steers it.", "xcli"};
    app.require_subcommand(1);
    app.set_version_flag("-V,--version", version_text());
    Words words;
    add_program_commands(app, words);
    add_view_commands(app, words);
    add_history_commands(app, words);
    add_facts_commands(app, words);
    add_doctor(app, words);
    add_web(app, words);
    add_rules(app, words);
    add_enable(app, words);
    add_container(app, words);
    add_pool(app, words);
    add_steering_commands(app, words);
    add_about_commands(app, words);
    add_examples(app);
    app.footer(
        std::string("Exit status: 0 done, 1 the output cannot be written, 2 the command line makes no sense, 3 no "
                    "server answers, 4 there is no such program or queue, 5 the server refuses. 'xcli run' ends as its "
                    "program does.\n\n") +
        console::kWherePagesAre);
    if (argc > 1 && console::is_unknown_command(app, argv[1]))
        return report(words, std::string("there is no command \"") + argv[1] + "\"" + meant_command(app, argv[1]) +
                                 ": see 'xcli --help'");
    const char* const alone[] = {argv[0], "help", nullptr};
    if (argc == 1) {
        argc = 2;
        argv = const_cast<char**>(alone);
    }
    const int ours = split_off_program(argc, argv, words.program);
    const auto refuse = [&](const std::string& sentence) {
        words.json |= ours > 2 && std::find(argv + 2, argv + ours, std::string("--json")) != argv + ours;
        return report(words, sentence);
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
