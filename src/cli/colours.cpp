#include "cli/colours.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "base/states.h"

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
    switch (base::tone_of(state)) {
        case base::Tone::kGood: return Colour::kGood;
        case base::Tone::kFaint: return Colour::kFaint;
        case base::Tone::kHeld:
        case base::Tone::kStopped: return Colour::kHeld;
        case base::Tone::kPlain: break;
    }
    return Colour::kPlain;
}

}  // namespace xsched::cli
