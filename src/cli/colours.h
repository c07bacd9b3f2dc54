// Colours for a terminal: where standard output is one, TERM is not "dumb" and NO_COLOR is not set. The main thread.
#pragma once

#include <string>

namespace xsched::cli {

enum class Colour { kPlain, kGood, kHeld, kFaint, kStrong };

bool colours_wanted();
// `text` as it is where no colours are wanted.
std::string in_colour(const std::string& text, Colour colour);
// Of a state: runs, held, idle.
Colour colour_of_state(const std::string& state);

}  // namespace xsched::cli
