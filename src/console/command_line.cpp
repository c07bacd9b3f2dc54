#include "console/command_line.h"

#include <exception>

namespace xsched::console {

int run(CLI::App& app, int argc, char** argv, const char* name, const std::function<int()>& command,
        const std::function<int(const std::string&)>& refuse) {
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

}  // namespace xsched::console
