// The command line of xcli rules.
#include <memory>

#include "cli/commands.h"
#include "cli/config/rules.h"

namespace xsched::cli {

void add_rules(CLI::App& app, Words& words) {
    struct Asked {
        RulesTest test;
        bool tests = false;
        bool loads = false;
    };
    const auto asked = std::make_shared<Asked>();
    CLI::App* rules =
        add_command(app, words, "rules", "show the rules by program, or what they give a command", [&words, asked] {
            if (asked->loads) return load_rules(words.json);
            return asked->tests ? test_rules(asked->test, words.program, words.json) : show_rules(words.json);
        });
    CLI::App* test = rules->add_subcommand(
        "test",
        "say what rules give a command, without starting it, by the files as they are now; 'xcli rules load' "
        "hands them to a server that runs");
    test->parse_complete_callback([asked] { asked->tests = true; });
    test->add_flag("--json", words.json, "print JSON");
    add_program(test, words)->option_text("-- PROGRAM [ARGUMENTS]");
    test->add_option("--user", asked->test.user, "as if this user started it");
    test->add_option("--cgroup", asked->test.cgroup, "as if it were in this control group");
    CLI::App* load = rules->add_subcommand(
        "load",
        "hand the rules of your own files to the server of all users ('xcli run' does), or have your own "
        "server read its files again");
    load->parse_complete_callback([asked] { asked->loads = true; });
    load->add_flag("--json", words.json, "print JSON");
}

}  // namespace xsched::cli
