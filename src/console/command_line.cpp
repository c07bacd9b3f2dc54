#include "console/command_line.h"

#include <exception>
#include <memory>
#include <string>

#include "console/fold.h"

namespace xsched::console {
namespace {

// Folds the help to the width of the terminal.
class Folding : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        const size_t width = text_width();
        return folded(CLI::Formatter::make_help(app, std::move(name), mode), width != 0 ? width : kUsualWidth);
    }
};

void fold_help(CLI::App& app) {
    app.formatter(std::make_shared<Folding>());
    for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) fold_help(*command);
}

}  // namespace

int run(CLI::App& app, int argc, char** argv, const char* name, const std::function<int()>& command,
        const std::function<int(const std::string&)>& refuse) {
    fold_help(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
        return refuse(std::string(error.what()) + ": see '" + name + " --help'");
    }
    try {
        return command();
    } catch (const std::exception& error) {
        return refuse(error.what());
    }
}

std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

}  // namespace xsched::console
