// Checks of a command line's values, each of which says what is wrong with a value and what would be right. Pure.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xsched::console {

// Returns a check that refuses an empty text; `what` is what it names: "the file".
CLI::Validator not_empty(const char* what);
// Returns a check for whole numbers in a range. Its complaint names the value and the range. `kind`: what is counted.
CLI::Validator between(int64_t least, int64_t most, const char* kind = "a whole number");
// Returns a check for numbers with a fraction in a range. Its complaint names the value and the range, too.
CLI::Validator between_fractions(double least, double most, const char* kind = "a number");
// Returns the nanoseconds of a unit of time ("ms"); 0: it is none.
double ns_of_unit(std::string_view unit);
// Returns a transformation for times in a range of seconds: "500ms" becomes 0.5, and a number alone is seconds.
CLI::Validator seconds_between(double least, double most);
// Returns a transformation for the words of a fixed set, in capitals or not. Its complaint names the word that was
// probably meant, and all others. `kind`: what they are. `also`: other words for them, which are not named.
CLI::Validator one_of(const char* kind, const std::vector<std::string>& known,
                      const std::vector<std::string>& also = {});

}  // namespace xsched::console
