#include "cli/colours.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace xsched::cli {

bool colours_wanted() {
    const char* never = getenv("NO_COLOR");
    const char* terminal = getenv("TERM");
    return (never == nullptr || *never == '\0') && isatty(STDOUT_FILENO) != 0 && terminal != nullptr &&
           strcmp(terminal, "dumb") != 0;
}

std::string in_colour(const std::string& text, Colour colour) {
    constexpr const char* kCodes[] = {"", "\033[32m", "\033[33m", "\033[2m", "\033[1m"};
    if (colour == Colour::kPlain || !colours_wanted()) return text;
    return kCodes[static_cast<int>(colour)] + text + "\033[0m";
}

Colour colour_of_state(const std::string& state) {
    if (state == "runs") return Colour::kGood;
    return state == "idle"                              ? Colour::kFaint
           : state == "held" || state == "runs in part" ? Colour::kHeld
                                                        : Colour::kPlain;
}

}  // namespace xsched::cli
