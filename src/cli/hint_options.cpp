#include "cli/hint_options.h"

#include "base/short_name.h"
#include "cli/commands.h"
#include "cli/latency_target.h"

namespace xsched::cli {
namespace {

// Returns an option's names, such as "-t,--timeslice"; only the long one if another option has the short one.
std::string names_left(CLI::App& command, const std::string& words) {
    const size_t comma = words.find(',');
    const bool taken = comma != std::string::npos && command.get_option_no_throw(words.substr(0, comma)) != nullptr;
    return taken ? words.substr(comma + 1) : words;
}

// Returns the number that a name stands for; a number is returned as it is.
std::string read_name(const std::string& text) {
    if (!text.empty() && (base::is_digit(text.front()) || text.front() == '-')) return text;
    const int64_t number = base::number_of_name(text);
    if (number == 0)
        throw CLI::ValidationError("\"" + text +
                                   "\" is no name: use 1 to 12 letters, digits and hyphens, a letter first");
    return std::to_string(number);
}

}  // namespace

void add_hints(CLI::App* command, HintWords& given, bool run) {
    for (const base::HintInfo& hint : base::kHints) {
        if (hint.words == nullptr || (run && hint.in_run != base::HintInRun::kRun)) continue;
        std::string help = hint.help;
        if (run) help += " (default " + std::to_string(hint.fallback) + ")";
        if (!run && hint.scope == base::HintScope::kProcess) help += "; without queue or process: of all";
        CLI::Option* option = command->add_option(names_left(*command, hint.words), given.of(hint), help);
        if (run) option->check(between(hint.least, hint.most));
        if (hint.kind == base::HintKind::kTarget)
            option->transform([](const std::string& text) { return read_latency_target(text); });
        if (hint.kind == base::HintKind::kName) option->transform(read_name);
    }
}

}  // namespace xsched::cli
