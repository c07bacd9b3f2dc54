#include "cli/hint_options.h"

#include "base/byte_size.h"
#include "base/short_name.h"
#include "cli/commands.h"
#include "config/latency_target.h"

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

// Returns the heading under which `xcli run --help` shows a hint. Hints that only single policies read come last.
const char* group_of(base::HintInRun in_run) {
    switch (in_run) {
        case base::HintInRun::kUsual: return "What the program gets";
        case base::HintInRun::kMemory: return "Memory (NVIDIA)";
        default: return "For single policies, and gangs";
    }
}

const char* value_name_of(base::HintKind kind) {
    switch (kind) {
        case base::HintKind::kTarget: return "TIME";
        case base::HintKind::kBytes: return "SIZE";
        case base::HintKind::kName: return "NAME";
        default: return "N";
    }
}

// Adds --NAME and --no-NAME.
void add_switch(CLI::App* command, const std::string& words, std::optional<int64_t>& given, const std::string& help,
                const char* group) {
    const auto set = [&given](int64_t value) { return [&given, value](int64_t) { given = value; }; };
    CLI::Option* on = command->add_flag_function(words, set(1), help)->group(group);
    command->add_flag_function("--no-" + words.substr(2), set(0), "the opposite")->excludes(on)->group(group);
}

}  // namespace

void add_hints(CLI::App* command, HintWords& given, bool run) {
    for (const base::HintInfo& hint : base::kHints) {
        if (hint.words == nullptr || (run && hint.in_run == base::HintInRun::kNoRun)) continue;
        std::string help = hint.help;
        if (run) help += " (default " + std::to_string(hint.fallback) + ")";
        if (!run && hint.scope == base::HintScope::kProcess) help += "; without queue or process: of all";
        if (hint.kind == base::HintKind::kSwitch) {
            add_switch(command, hint.words, given.of(hint), help, group_of(hint.in_run));
            continue;
        }
        CLI::Option* option = command->add_option(names_left(*command, hint.words), given.of(hint), help);
        option->type_name(value_name_of(hint.kind))->group(group_of(hint.in_run));
        const bool is_time = std::string(hint.request).ends_with("_us");
        option->check(between(hint.least, hint.most, is_time ? "a whole number of microseconds" : "a whole number"));
        if (hint.kind == base::HintKind::kTarget)
            option->transform([](const std::string& text) { return config::read_latency_target(text); });
        if (hint.kind == base::HintKind::kBytes) option->transform(base::read_byte_size);
        if (hint.kind == base::HintKind::kName) option->transform(read_name);
    }
}

}  // namespace xsched::cli
