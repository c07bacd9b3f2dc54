#include "cli/explain/other_users.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cli/explain/held_sentence.h"
#include "cli/explain/urgency.h"

namespace xsched::cli {

std::string OtherUsers::text() const {
    if (at_work == 0) return "";
    return at_work == 1 ? "1 program of another user" : base::counted(at_work, "program") + " of other users";
}

OtherUsers other_users(const Json& program) {
    OtherUsers others;
    for (const Json& device : program["devices"]) {
        others.at_work = std::max(others.at_work, device.value("others_at_work", uint64_t{0}));
        const Json got = device.value("others_got_percent", Json());
        if (got.is_array() && got.size() > 1 && got[1].is_number())
            others.got = std::max(others.got, 0.0) + got[1].get<double>();
    }
    return others;
}

void tell_other_users(const Json& answer, const Json& program, bool made_room, Explained& result) {
    const OtherUsers others = other_users(program);
    const std::string pid = std::to_string(program.value("pid", int64_t{0}));
    const std::string had =
        others.got < 0.5 ? ""
                         : ", which had " + std::to_string(std::lround(others.got)) + " percent of it in the last 10 s";
    result.finding = WhySlow::kShares;
    result.headline = not_us(program, "; it shares its device with " + others.text() + had);
    if (made_room) {
        result.headline += ": another user's program made room for it, but what the device had begun ends first";
        result.advice = "see whether its bursts wait for that: xcli explain " + pid +
                        " --slow TIME; if they do, root may allow level 3 for the programs of others";
        return;
    }
    result.headline += ", as the hardware divides the device";
    result.advice = "to come first, " + be_more_urgent(answer, program, {{"program", "another user's program"}});
}

}  // namespace xsched::cli
