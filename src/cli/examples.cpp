#include "cli/examples.h"

#include <string>

namespace xsched::cli {
namespace {

struct Example {
    const char* command;
    const char* line;
    const char* what;
};
constexpr Example kExamples[] = {
#define XSCHED_EXAMPLE(command, line, what) {command, line, what},
#include "cli/examples.def"
#undef XSCHED_EXAMPLE
};

}  // namespace

void add_examples(CLI::App& app) {
    for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        std::string text;
        for (const Example& example : kExamples)
            if (command->get_name() == example.command)
                text +=
                    std::string(text.empty() ? "Examples:\n" : "\n") + "  " + example.line + "\n      " + example.what;
        if (text.empty()) continue;
        command->footer(text + (command->get_footer().empty() ? "" : "\n\n" + command->get_footer()));
    }
}

}  // namespace xsched::cli
