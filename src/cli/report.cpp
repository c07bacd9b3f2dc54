#include "cli/report.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
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

// Becomes python3 with these words. Throws Failure if it cannot be started.
[[noreturn]] void become_python(std::vector<std::string> words) {
    words.insert(words.begin(), {"python3", "-B"});
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execvp(pointers[0], pointers.data());
    throw Failure(std::string("python3, which this needs, cannot be started (") + strerror(errno) + "): install it");
}

// Returns the folder of the demo's programs: the installed one, or a build tree's.
std::string demo_programs(const Installation& installation) {
    for (const std::string& folder :
         {installation.library_directory + "/xsched/demo", installation.library_directory + "/../bench"})
        if (access((folder + "/spinner").c_str(), X_OK) == 0) return folder;
    throw Failure("the programs of the demo are not at " + installation.library_directory +
                  "/xsched/demo: install XSched as a whole");
}

}  // namespace

int run_demo(const std::string& out, bool json) {
    if (json) throw Failure("xcli demo writes its numbers beside the page, as JSON: leave out --json");
    if (!out.ends_with(".html")) throw Failure("--out " + out + " is no page: end its name with .html");
    const std::filesystem::path folder = std::filesystem::absolute(out).parent_path();
    if (access(folder.c_str(), W_OK) != 0)
        throw Failure("--out " + out + " cannot be written: " + folder.string() + ": " + strerror(errno));
    const Installation installation = find_installation();
    const std::filesystem::path program = std::filesystem::path(installation.report).replace_filename("demo.py");
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
    setenv("XSCHED_BENCH_VERSION", XSCHED_VERSION, 0);
    become_python({program.string(), "--tools", self.parent_path().string(), "--programs", demo_programs(installation),
                   "--out", out});
}

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
    become_python({installation.report, text});
}

}  // namespace xsched::cli
