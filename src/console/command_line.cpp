#include "console/command_line.h"

namespace xsched::console {

int run(CLI::App& app, int argc, char** argv, const char* name, const std::function<int()>& command,
        const Refuse& refuse) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
        return refuse(error, std::string(error.what()) + ": see '" + name + " --help'");
    }
    try {
        return command();
    } catch (const std::exception& error) {
        return refuse(error, error.what());
    }
}

}  // namespace xsched::console
