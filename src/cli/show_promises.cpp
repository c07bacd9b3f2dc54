// xcli status --promises.
#include <algorithm>
#include <cmath>

#include "cli/fields.h"
#include "cli/hint_facts.h"
#include "cli/known_by.h"
#include "cli/program_facts.h"
#include "cli/show.h"
#include "console/table.h"

namespace xsched::cli {
namespace {

std::string promised_length(const Json& promise, const char* member) {
    const double us = promise.value(member, 0.0);
    return us > 0 ? length_text(us / 1000) : "-";
}

std::string kept_word(const Json& promise) {
    const Json kept = promise.value("kept", Json());
    return kept.is_null() ? "-" : kept.get<bool>() ? "yes" : "NO";
}

std::string score_text(const Json& answer) {
    const Json score = answer.value("score", Json::object());
    const auto promised = score.value("promised", uint64_t{0});
    const auto kept = score.value("kept", uint64_t{0});
    if (promised == 0) return "No promise has been put to the test yet.\n";
    const double percent = 100 * static_cast<double>(kept) / static_cast<double>(promised);
    return "Of all users' promises on this server: " + std::to_string(promised) + " put to the test, " +
           std::to_string(kept) + " kept (" + std::to_string(std::lround(percent)) + " %).\n";
}

// Returns a line for each program with a target that no promise is about. 'xcli admit' keeps those as well.
std::string other_targets(const Json& promises) {
    ServerLink link;
    const Json answer = ask_all(link, {{"cmd", "programs"}}, "programs");
    std::string text;
    for (const Json& program : answer["programs"]) {
        const std::string target = target_text(program);
        const bool is_promised = std::any_of(promises.begin(), promises.end(), [&](const Json& promise) {
            return promise.value("pid", int64_t{0}) == program.value("pid", int64_t{0});
        });
        if (target.empty() || is_promised) continue;
        text += "pid " + std::to_string(program.value("pid", int64_t{0})) + " (" + program.value("program", "") +
                ") has a " + target + " by a hint: 'xcli admit' lets no program run that breaks it.\n";
    }
    return text.empty() ? "" : text + "\n";
}

}  // namespace

int show_promises(bool json) {
    const Json answer = ServerLink().ask({{"cmd", "promises"}});
    if (json) {
        print(answer.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
        return 0;
    }
    console::Table table({heading_of("pid"), heading_of("program"), heading_of("target_us"), heading_of("predicted_us"),
                          heading_of("requests"), heading_of("late"), heading_of("kept"), heading_of("promise")});
    const Json promises = answer.value("promises", Json::array());
    for (const Json& promise : promises)
        table.add({std::to_string(promise.value("pid", int64_t{0})), short_name(promise.value("program", ""), 20),
                   promised_length(promise, "target_us"), promised_length(promise, "predicted_us"),
                   std::to_string(promise.value("requests", uint64_t{0})),
                   std::to_string(promise.value("late", uint64_t{0})), kept_word(promise),
                   promise.value("promise", "")});
    print_text((promises.empty() ? "'xcli admit' has promised nothing to your programs.\n\n" : table.text() + "\n") +
               other_targets(promises) + score_text(answer));
    return 0;
}

}  // namespace xsched::cli
