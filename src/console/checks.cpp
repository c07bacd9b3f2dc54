#include "console/checks.h"

#include <charconv>
#include <sstream>
#include <string>

namespace xsched::console {

namespace {

// Returns a check for numbers in a range; `kind` says what is asked for if a text is no such number.
template <typename Number>
CLI::Validator check_of(Number least, Number most, const char* kind) {
    const auto complaint = [=](const std::string& text) -> std::string {
        Number number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool read = end == text.data() + text.size() && error != std::errc::invalid_argument;
        if (read && error == std::errc{} && number >= least && number <= most) return "";
        std::ostringstream sentence;
        sentence.precision(15);  // 1000000, not 1e+06
        sentence << (read ? text + " is not" : "\"" + text + "\" is not " + kind) << " from " << least << " to "
                 << most;
        return sentence.str();
    };
    return CLI::Validator(complaint, "");
}

}  // namespace

CLI::Validator between(int64_t least, int64_t most, const char* kind) { return check_of(least, most, kind); }

CLI::Validator between_fractions(double least, double most, const char* kind) { return check_of(least, most, kind); }

CLI::Validator not_empty(const char* what) {
    const auto complaint = [what](const std::string& text) -> std::string {
        return text.empty() ? "the name of " + std::string(what) + " is empty (is a variable not set?)" : "";
    };
    return CLI::Validator(complaint, "");
}

}  // namespace xsched::console
