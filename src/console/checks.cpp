#include "console/checks.h"

#include <algorithm>
#include <charconv>
#include <iomanip>
#include <sstream>
#include <utility>

#include "base/did_you_mean.h"
#include "base/text.h"

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

std::string is_empty(const std::string& what) { return "the name of " + what + " is empty (is a variable not set?)"; }

}  // namespace

CLI::Validator between(int64_t least, int64_t most, const char* kind) { return check_of(least, most, kind); }

CLI::Validator between_fractions(double least, double most, const char* kind) { return check_of(least, most, kind); }

double ns_of_unit(std::string_view unit) {
    constexpr std::pair<std::string_view, double> kUnits[] = {
        {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
    for (const auto& [name, ns] : kUnits)
        if (name == unit) return ns;
    return 0;
}

CLI::Validator seconds_between(double least, double most) {
    const auto complaint = [=](std::string& text) -> std::string {
        double number = 0;
        const char* const all = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data(), all, number);
        const double ns = error == std::errc{} ? number * ns_of_unit({end, static_cast<size_t>(all - end)}) : 0;
        std::string seconds = text;
        if (ns != 0) seconds = (std::ostringstream() << std::setprecision(15) << ns / 1e9).str();
        const std::string wrong = check_of(least, most, "a number of seconds, or a time such as 500ms,")(seconds);
        if (wrong.empty()) text = seconds;
        return wrong;
    };
    return CLI::Validator(complaint, "");
}

CLI::Validator one_of(const char* kind, const std::vector<std::string>& known, const std::vector<std::string>& also) {
    const auto complaint = [=](std::string& text) -> std::string {
        const auto same = [&text](const std::string& one) { return base::same_word(one.c_str(), text.c_str()); };
        const auto found = std::find_if(known.begin(), known.end(), same);
        if (found != known.end()) text = *found;
        if (found != known.end() || std::any_of(also.begin(), also.end(), same)) return "";
        if (text.empty()) return is_empty("the " + std::string(kind));
        return "there is no " + std::string(kind) + " \"" + text + "\"" + base::instead(known, text);
    };
    std::string listed;  // console::choices finds them between the braces
    for (const std::string& one : known) listed += (listed.empty() ? "{" : ",") + one;
    return CLI::Validator(complaint, listed + "}");
}

CLI::Validator not_empty(const char* what) {
    const auto complaint = [what](const std::string& text) -> std::string {
        return text.empty() ? is_empty(what) : "";
    };
    return CLI::Validator(complaint, "");
}

}  // namespace xsched::console
