#include "cli/doctor/pause.h"

#include <cstdio>

namespace xsched::cli {
namespace {

std::string times(const Json& found, int of_rounds) {
    return std::to_string(of_rounds) + " of " + std::to_string(found.value("rounds", 0)) + " pauses";
}

}  // namespace

std::string why_no_pause(const Json& found) {
    if (!found.value("there", false)) return "the driver's library has no halSqCqConfig to pause send queues with";
    for (const char* what : {"pause", "resume"})
        if (const int code = found.value(std::string(what) + "_code", 0); code != 0)
            return std::string("the driver refuses to ") + what + " the send queues (error " + std::to_string(code) +
                   ")";
    const int completing = found.value("rounds_completing", 0);
    if (2 * completing > found.value("rounds", 1))
        return "a pause of the send queues does not hold: in " + times(found, completing) + " work went on completing";
    if (!found.value("exact", false)) return "the result is wrong after pauses of the send queues: work was lost";
    return "";
}

std::string pause_text(const Json& found) {
    if (!found.value("there", false) || found.value("pause_code", 0) != 0) return "";
    char text[200];
    snprintf(text, sizeof text,
             ": the last command completed at most %.2g ms after the call began, and the next %.2g ms after work might "
             "go on; the result was %s (fills and copies alone)",
             found.value("stop_ms", 0.0), found.value("resume_ms", 0.0),
             found.value("exact", false) ? "right" : "wrong");
    return "a pause of the send queues held work in " +
           times(found, found.value("rounds", 0) - found.value("rounds_completing", 0)) + text;
}

}  // namespace xsched::cli
