#include "cli/hint_options.h"

#include <algorithm>

#include "base/byte_size.h"
#include "base/short_name.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/size_text.h"
#include "config/hint_text.h"
#include "config/latency_target.h"
#include "config/limit_setting.h"

namespace xsched::cli {
namespace {

bool is_whole_number(const std::string& text) {
    const size_t digits = text.starts_with('-') ? 1 : 0;
    return text.size() > digits &&
           std::all_of(text.begin() + static_cast<ptrdiff_t>(digits), text.end(), base::is_digit);
}

// Returns the number that a name stands for; a number is returned as it is.
std::string read_name(const std::string& text) {
    if (is_whole_number(text)) return text;
    const int64_t number = base::number_of_name(text);
    if (number == 0)
        throw CLI::ValidationError("\"" + text +
                                   "\" is no name: use 1 to 12 letters, digits and hyphens, a letter first");
    return std::to_string(number);
}

// Returns the text of the number of a latency target. A time needs its unit, since a bare 5 might be milliseconds.
std::string read_target(const base::HintInfo& hint, const std::string& text) {
    if (config::lacks_unit(text))
        throw CLI::ValidationError("\"" + text + "\" has no unit: say " + text + "ms, " + text + "us, " + text +
                                   "s or a factor such as 1.3x");
    const std::string number = config::read_latency_target(text);
    int64_t target = 0;
    if (config::read_number(number, &target) && config::is_below_alone(target))
        throw CLI::ValidationError("\"" + text +
                                   "\" is shorter than alone, which no scheduler can keep: use 1x or more");
    if (is_whole_number(number) && (target < hint.least || target > hint.most))
        throw CLI::ValidationError(text + " is not up to " + config::text_of_target(hint.most) + ", or " +
                                   config::text_of_target(hint.least) + " of the time alone");
    if (is_whole_number(number)) return number;
    throw CLI::ValidationError("\"" + text + "\" is no target: use a time such as 5ms, or a factor such as 1.3x");
}

std::string read_size(const base::HintInfo& hint, const std::string& text, HintWords& given) {
    if (std::string remark = config::few_bytes(config::option_of(hint) + " ", text); !remark.empty())
        given.remarks.insert(std::move(remark));
    const std::string number = base::read_byte_size(text);
    int64_t bytes = 0;
    if (!is_whole_number(number))
        throw CLI::ValidationError("\"" + text + "\" is no size: use 20GiB, 500MiB or a number of bytes");
    if (config::read_number(number, &bytes) && bytes >= hint.least && bytes <= hint.most) return number;
    throw CLI::ValidationError(text + " is not " + config::range_text(hint.least, hint.most, true));
}

// Returns the help of `--NAME` or of `--no-NAME` from "1: ...; 0: ...".
std::string help_of_switch(const std::string& help, char value) {
    const size_t begin = help.find(std::string(1, value) + ": ");
    return begin == std::string::npos ? help : help.substr(begin + 3, help.find(';', begin) - begin - 3);
}

// Returns the text of a number of microseconds. A bare number means microseconds; a low one may be meant otherwise.
std::string read_time(const base::HintInfo& hint, const std::string& text, HintWords& given) {
    const std::string number = config::read_microseconds(text);
    const std::string range = "from " + config::text_of_target(hint.least) + " to " + config::text_of_target(hint.most);
    if (!is_whole_number(number))
        throw CLI::ValidationError("\"" + text + "\" is not a time " + range + ", such as 20ms");
    const bool may_be_milliseconds = config::may_be_milliseconds(text);
    const std::string meaning = text + " means " + text + " us";
    const std::string instead = ": say " + text + "ms for milliseconds";
    int64_t time = 0;
    if (!config::read_number(number, &time) || time < hint.least || time > hint.most)
        throw CLI::ValidationError(may_be_milliseconds ? meaning + ", which is not " + range + instead
                                                       : text + " is not " + range);
    if (may_be_milliseconds) given.remarks.insert(config::option_of(hint) + " " + meaning + instead);
    return number;
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
    CLI::Option* on = command->add_flag_function(words, set(1), help_of_switch(help, '1'))->group(group);
    command->add_flag_function("--no-" + words.substr(2), set(0), help_of_switch(help, '0'))
        ->excludes(on)
        ->group(group);
}

}  // namespace

void add_hints(CLI::App* command, HintWords& given, bool run) {
    for (const base::HintInfo& hint : base::kHints) {
        if (hint.words == nullptr || (run && hint.in_run == base::HintInRun::kNoRun)) continue;
        std::string help = hint.help;
        if (const size_t at = help.find("; elsewhere "); at != std::string::npos)  // beside xcli
            help.erase(at, help.find(';', at + 1) - at);
        if (const size_t at = help.find("in xcli "); at != std::string::npos) help.replace(at, 7, "here");
        if (run) help += " (default " + std::to_string(hint.fallback) + ")";
        if (config::is_in_microseconds(hint)) help += "; also with a unit: 20ms";
        if (!run && hint.scope == base::HintScope::kProcess) help += "; without queue or process: of all";
        if (hint.kind == base::HintKind::kSwitch) {
            add_switch(command, hint.words, given.of(hint), help, group_of(hint.in_run));
            continue;
        }
        CLI::Option* option = command->add_option(hint.words, given.of(hint), help);
        option->type_name(value_name_of(hint.kind))->group(group_of(hint.in_run));
        const bool is_time = config::is_in_microseconds(hint);
        if (is_time)
            option->transform([&hint, &given](const std::string& text) { return read_time(hint, text, given); });
        else
            option->check(between(hint.least, hint.most));
        if (hint.kind == base::HintKind::kTarget)
            option->transform([&hint](const std::string& text) { return read_target(hint, text); });
        if (hint.kind == base::HintKind::kBytes)
            option->transform([&hint, &given](const std::string& text) { return read_size(hint, text, given); });
        if (hint.kind == base::HintKind::kName) option->transform(read_name);
    }
}

}  // namespace xsched::cli
