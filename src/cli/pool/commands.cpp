// xcli pool: one context that programs of a user share.
#include "cli/commands.h"

#include <memory>

#include "cli/pool/pool.h"
#include "cli/show.h"

namespace xsched::cli {
namespace {

int show(const Pool& pool, bool as_json) {
    const bool runs = pool.runs();
    const std::vector<int> programs = runs ? pool.programs() : std::vector<int>{};
    if (as_json) {
        print(Json{{"runs", runs}, {"folder", pool.folder()}, {"pids", programs}}.dump(2) + "\n");
        return 0;
    }
    if (!runs) {
        print("there is no pool: 'xcli run --pool' starts one\n");
        return 0;
    }
    std::string text = "the pool in " + pool.folder() + " has ";
    if (programs.empty()) text += "no programs";
    for (const int pid : programs)
        text += (pid != programs.front() ? ", "
                 : programs.size() == 1  ? "the program "
                                         : "the programs ") +
                std::to_string(pid);
    print(text + "\n");
    return 0;
}

int do_it(const std::string& what, bool as_json) {
    const Pool pool;
    if (what == "start") pool.start();
    if (what != "stop") return show(pool, as_json);
    if (pool.runs()) pool.stop();
    print("there is no pool any more\n");
    return 0;
}

}  // namespace

void add_pool(CLI::App& app, Words& words) {
    const auto what = std::make_shared<std::string>("show");
    CLI::App* pool = add_command(app, words, "pool", "programs that share one context and run side by side (NVIDIA)",
                                 [&words, what] { return do_it(*what, words.json); });
    pool->add_option("what", *what, "show (default), start, or stop, which ends the programs in it too")
        ->check(CLI::IsMember({"show", "start", "stop"}));
}

}  // namespace xsched::cli
