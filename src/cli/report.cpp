#include "cli/report.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/clock.h"
#include "cli/installation.h"
#include "cli/server_link.h"
#include "cli/time_text.h"
#include "ipc/layout.h"

namespace xsched::cli {
namespace {

void check_report(const ReportWords& words, const std::vector<std::string>& program) {
    if (program.empty() && words.urgent.empty())
        throw Failure("say which program: xcli report -- PROGRAM [ARGUMENTS], or --urgent \"PROGRAM ...\"");
    if (!program.empty() && !words.urgent.empty())
        throw Failure("say the urgent program once: behind \"--\", or with --urgent");
    for (const std::string_view suffix : {".html", ".md"})
        if (words.out.ends_with(suffix)) return;
    throw Failure("--out " + words.out + " is neither a page nor a text: end its name with .html or .md");
}

}  // namespace

int report_on_programs(const ReportWords& words, const std::vector<std::string>& program, bool json) {
    check_report(words, program);
    const Installation installation = find_installation();
    if (installation.server.empty()) throw Failure("there is no xserver beside xcli: install both");
    if (access(installation.report.c_str(), R_OK) != 0)
        throw Failure("the part that measures is not at " + installation.report + ": install XSched as a whole");
    const Json told{
        {"xcli", std::filesystem::read_symlink("/proc/self/exe").string()},
        {"xserver", installation.server},
        {"protocol", {ipc::kMagic, ipc::kVersion}},
        {"urgent", words.urgent},
        {"background", words.background},
        {"program", program},
        {"version", XSCHED_VERSION},
        {"out", words.out},
        {"seconds", static_cast<double>(time_ns(words.time, "to measure for")) / base::kSecond},
        {"rounds", words.rounds},
        {"json", json},
    };
    const std::string text = told.dump(-1, ' ', false, Json::error_handler_t::replace);
    execlp("python3", "python3", "-B", installation.report.c_str(), text.c_str(), nullptr);
    throw Failure(std::string("python3, which xcli report needs, cannot be started (") + strerror(errno) +
                  "): install it");
}

}  // namespace xsched::cli
