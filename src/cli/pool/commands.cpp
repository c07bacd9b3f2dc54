// xcli pool: one context that programs of a user share.
#include "cli/commands.h"

#include <memory>

#include "cli/pool/pool.h"
#include "cli/show.h"

namespace xsched::cli {
namespace {

std::string programs_text(const std::vector<int>& programs) {
    if (programs.empty()) return "no programs";
    std::string text = programs.size() == 1 ? "the program" : "the programs";
    for (const int pid : programs) text += (pid != programs.front() ? ", " : " ") + std::to_string(pid);
    return text;
}

// Returns sentences about the pool's last fault. `now`: the pool still has it.
std::string fault_text(const PoolFault& fault, bool now) {
    std::string text =
        (now ? "the pool cannot be used until its programs have ended: " : "the pool before: ") + fault.text() + "\n";
    for (const PoolFault::Member& one : fault.neighbours)
        text += "  " + one.program + " (pid " + std::to_string(one.pid) + ") " + one.outcome + "\n";
    return text;
}

int show(const Pool& pool, bool as_json) {
    const bool runs = pool.runs();
    const std::vector<PoolServer> servers = runs ? pool.servers() : std::vector<PoolServer>{};
    const std::optional<PoolFault> fault = pool.faults().read();
    std::vector<int> programs;
    bool failed = false;
    for (const PoolServer& server : servers) {
        programs.insert(programs.end(), server.programs.begin(), server.programs.end());
        failed |= server.failed;
    }
    if (as_json) {
        print(Json{{"ok", true},
                   {"runs", runs},
                   {"failed", failed},
                   {"folder", pool.folder()},
                   {"pids", programs},
                   {"last_fault", fault ? fault->json() : Json()}}
                  .dump(2) +
              "\n");
        return 0;
    }
    std::string text = runs ? "the pool in " + pool.folder() + " has " + programs_text(programs) + "\n"
                            : "there is no pool: 'xcli run --pool' starts one\n";
    if (fault) text += fault_text(*fault, failed);
    if (failed && !fault) text += "the pool cannot be used until its programs have ended: it had a device fault\n";
    print_text(text);
    return 0;
}

int do_it(const std::string& what, bool as_json) {
    const Pool pool;
    if (what == "start") pool.start();
    if (what != "stop") return show(pool, as_json);
    pool.stop();
    print(as_json ? Json{{"ok", true}, {"runs", false}}.dump(2) + "\n" : "there is no pool any more\n");
    return 0;
}

}  // namespace

void add_pool(CLI::App& app, Words& words) {
    const auto what = std::make_shared<std::string>("show");
    CLI::App* pool = add_command(app, words, "pool", "programs that share one context and run side by side (NVIDIA)",
                                 [&words, what] { return do_it(*what, words.json); });
    pool->add_option("ORDER", *what, "show (default), start, or stop, which ends the programs in it too")
        ->transform(one_of("order", {"show", "start", "stop"}));
}

}  // namespace xsched::cli
