// Colours for a terminal. They are used if standard output is a terminal, TERM is not "dumb" and NO_COLOR is not set.
// The main thread.
#pragma once

#include <string>

namespace xsched::cli {

enum class Colour { kPlain, kGood, kHeld, kFaint, kStrong };

bool colours_wanted();
// Returns `text` in that colour, or unchanged if no colours are used.
std::string in_colour(const std::string& text, Colour colour);
// Returns the colour of a state (base/states.def).
Colour colour_of_state(const std::string& state);

}  // namespace xsched::cli
