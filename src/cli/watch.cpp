#include "cli/watch.h"

#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/time.h"
#include "cli/server_link.h"
#include "cli/show.h"
#include "cli/stop_signals.h"

namespace xsched::cli {
namespace {

// Looks once. A watched program may start later or again, and a server may be replaced, so their absence is no error
// later.
int look_once(const std::function<int()>& look, bool first) {
    try {
        return look();
    } catch (const Failure& failure) {
        if (failure.status() != kNobody && (first || failure.status() != kNoServer)) throw;
        print(std::string(failure.what()) + "\n");
        return failure.status();
    }
}

}  // namespace

void add_watch(CLI::App* command, WatchWords& words) {
    CLI::Option* flag = command->add_flag("-w,--watch", words.watch, "look again and again, until ^C");
    command->add_option("--interval", words.interval_s, "seconds between two looks (2)")
        ->check(between_fractions(0.05, 3600.0))
        ->needs(flag);
}

int watch(const WatchWords& words, const std::function<int()>& look) {
    if (!words.watch) return look();
    stop_on_signals();
    const bool terminal = isatty(STDOUT_FILENO) != 0;
    int status = 0;
    for (bool first = true; !told_to_stop(); first = false) {
        print(terminal ? "\033[H\033[2J" : first ? "" : "\n");
        status = look_once(look, first);
        const int64_t until_ns = base::now_ns() + static_cast<int64_t>(words.interval_s * base::kSecond);
        constexpr int64_t kLongestNapNs = 100 * base::kMillisecond;
        while (!told_to_stop() && base::now_ns() < until_ns)
            base::sleep_ns(std::min(kLongestNapNs, until_ns - base::now_ns()));
    }
    return status;
}

}  // namespace xsched::cli
