// xcli: the command line. Every error is one sentence on standard error; the exit statuses: server_link.h.
#include <cstdio>

#include "base/standard_fds.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/did_you_mean.h"
#include "cli/examples.h"
#include "cli/run.h"
#include "cli/server_link.h"
#include "cli/shell_values.h"
#include "cli/shell_words.h"
#include "cli/show.h"
#include "cli/version.h"
#include "console/command_line.h"
#include "console/help.h"
#include "console/man_page.h"

namespace {

using namespace xsched::cli;
namespace console = xsched::console;

// Prints the help (`xcli help`, or no command), or the manual page or completions (for packages and shells; not part of
// the help). Returns false for any other command.
bool print_about_itself(const CLI::App& app, int argc, char** argv) {
    const std::string word = argc > 1 ? argv[1] : "help";
    const std::string more = argc > 2 ? argv[2] : "";
    if (word == "help") {
        print(more.empty() ? app.help() : app.get_subcommand(more)->help("xcli"));
    } else if (word == "man") {
        print(console::man_page(app, "xcli", 1, XSCHED_VERSION,
                                "'xcli options' lists the variables that programs under XSched read. NO_COLOR: no "
                                "colours."));
    } else if (word == "completion") {
        const std::string script = completion(app, more);
        if (script.empty()) throw Failure("say for which shell: xcli completion bash, zsh or fish");
        print(script);
    } else if (word == "complete") {  // the scripts above call it
        print(shell_values(more));
    } else {
        return false;
    }
    return true;
}

// Finds an unknown command, for which CLI11 would only say that a command is required.
bool is_unknown_command(const CLI::App& app, const char* word) {
    if (word == nullptr || *word == '-') return false;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (command->get_name() == word) return false;
    return true;
}

int report(const Words& words, std::string sentence, Status status = kUsage) {
    xsched::base::replace_controls(sentence.data(), sentence.size());  // the sentence may quote a file's name or an
                                                                       // argument
    fprintf(stderr, "xcli: %s\n", sentence.c_str());
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
    add_examples(app);
    app.footer(
        "Exit status: 0 done, 1 the output cannot be written, 2 the command line makes no sense, 3 no server answers, "
        "4 there is no such program or "
        "queue, "
        "5 the server refuses. 'xcli run' ends as its program does.");
    console::shape_help(app);
    try {
        if (print_about_itself(app, argc, argv)) return 0;
    } catch (const CLI::Error&) {
        return report(words, std::string("there is no command \"") + argv[2] + "\"" + meant_command(app, argv[2]));
    } catch (const Failure& failure) {
        return report(words, failure.what(), failure.status());
    }
    if (is_unknown_command(app, argv[1]))
        return report(words, std::string("there is no command \"") + argv[1] + "\"" + meant_command(app, argv[1]) +
                                 ": see 'xcli --help'");
    const int ours = split_off_program(argc, argv, words.program);
    const auto refuse = [&](const std::string& sentence) { return report(words, sentence); };
    const auto command = [&words] {
        try {
            return words.command();
        } catch (const Failure& failure) {
            return report(words, failure.what(), failure.status());
        }
    };
    return console::run(app, ours, argv, "xcli", command, refuse);
}
