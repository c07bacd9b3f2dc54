#include "cli/watch.h"

#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/time.h"
#include "cli/server_link.h"
#include "cli/show.h"
#include "cli/stop_signals.h"
#include "cli/time_text.h"

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

CLI::Validator is_interval() {
    const auto complaint = [](const std::string& text) -> std::string {
        try {
            interval_in_ns(text);
        } catch (const Failure& failure) {
            return failure.what();
        }
        return "";
    };
    return {complaint, "TIME"};
}

void add_watch(CLI::App* command, WatchWords& words) {
    CLI::Option* flag = command->add_flag("-w,--watch", words.watch, "look again and again, until ^C");
    command->add_option("--interval", words.interval, "time between two looks: 500ms (2s)")
        ->check(is_interval())
        ->type_name("TIME")
        ->needs(flag);
}

int watch(const WatchWords& words, const std::function<int()>& look) {
    if (!words.watch) return look();
    stop_on_signals();
    const bool terminal = isatty(STDOUT_FILENO) != 0;
    int status = 0;
    const int64_t interval_ns = words.interval.empty() ? 2 * base::kSecond : interval_in_ns(words.interval);
    for (bool first = true; !told_to_stop(); first = false) {
        print(terminal ? "\033[H\033[2J" : first ? "" : "\n");
        status = look_once(look, first);
        const int64_t until_ns = base::now_ns() + interval_ns;
        constexpr int64_t kLongestNapNs = 100 * base::kMillisecond;
        while (!told_to_stop() && base::now_ns() < until_ns)
            base::sleep_ns(std::min(kLongestNapNs, until_ns - base::now_ns()));
    }
    return status;
}

}  // namespace xsched::cli
