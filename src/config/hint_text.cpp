#include "config/hint_text.h"

#include <string_view>

#include "base/byte_size.h"
#include "base/short_name.h"
#include "config/latency_target.h"
#include "config/limit_setting.h"

namespace xsched::config {
namespace {

// Returns a number as text, or the text unchanged.
std::string as_number(const base::HintInfo& hint, const Node& node) {
    switch (hint.kind) {
        case base::HintKind::kTarget: return lacks_unit(node.text) ? "" : read_latency_target(node.text);
        case base::HintKind::kBytes: return base::read_byte_size(node.text);
        case base::HintKind::kSwitch: return node.text == "true" ? "1" : node.text == "false" ? "0" : node.text;
        case base::HintKind::kName:
            if (const int64_t number = base::number_of_name(node.text); number != 0) return std::to_string(number);
            return node.text;
        case base::HintKind::kNumber:
        case base::HintKind::kTime: break;
    }
    return is_in_microseconds(hint) ? read_microseconds(node.text) : node.text;
}

std::string wanted(const base::HintInfo& hint) {
    switch (hint.kind) {
        case base::HintKind::kTarget: return "a time, such as \"5ms\", or a factor from 1x on, such as \"1.3x\"";
        case base::HintKind::kBytes: return "a size, such as \"20GiB\"";
        case base::HintKind::kSwitch: return "true or false";
        case base::HintKind::kName:
        case base::HintKind::kNumber:
        case base::HintKind::kTime: break;
    }
    return (is_in_microseconds(hint) ? "a time, such as \"20ms\", or " : "") + wanted_of(hint);
}

}  // namespace

bool is_in_microseconds(const base::HintInfo& hint) {
    return hint.request != nullptr && std::string_view(hint.request).ends_with("_us");
}

std::string wanted_of(const base::HintInfo& hint) {
    if (hint.kind == base::HintKind::kSwitch) return "0 or 1";
    if (hint.kind == base::HintKind::kTarget)
        return "a number of microseconds up to " + std::to_string(hint.most) +
               ", or of percent of the time alone from " + std::to_string(hint.least) + " to -100";
    if (hint.kind == base::HintKind::kName) return "a name of 1 to 12 letters, digits and hyphens, a letter first";
    return std::string("a whole number ") + (is_in_microseconds(hint) ? "of microseconds " : "") + "from " +
           std::to_string(hint.least) + " to " + std::to_string(hint.most);
}

std::optional<int64_t> read_hint(const base::HintInfo& hint, const Node& node, std::string* complaint) {
    int64_t number = 0;
    const bool is_number = node.is_value() && read_number(as_number(hint, node), &number);
    const bool is_kept = hint.kind != base::HintKind::kTarget || !is_below_alone(number);
    if (is_number && number >= hint.least && number <= hint.most && is_kept) return number;
    *complaint =
        std::string(hint.name) + " is to be " + wanted(hint) + (node.is_value() ? ", not \"" + node.text + "\"" : "");
    return std::nullopt;
}

std::string option_of(const base::HintInfo& hint) {
    const std::string words = hint.words;  // "-p,--priority"
    return words.substr(words.find("--"));
}

std::string option_word(const base::HintInfo& hint) { return option_of(hint).substr(2); }

std::string rule_key(const base::HintInfo& hint) { return hint.name; }

std::string text_of_hint(const base::HintInfo& hint, int64_t value) {
    if (hint.kind == base::HintKind::kSwitch) return value != 0 ? "true" : "false";
    if (hint.kind == base::HintKind::kName) return base::name_of_number(value);
    if (hint.kind == base::HintKind::kTarget) return text_of_target(value);
    if (hint.kind == base::HintKind::kBytes) return base::exact_size(value);
    return std::to_string(value);
}

std::string few_bytes(const std::string& before, const std::string& number) {
    constexpr size_t kFewDigits = 6;  // less than a megabyte ("judgement": no program has so little device memory)
    if (!lacks_unit(number) || number.size() > kFewDigits) return "";
    return before + number + " means " + number + " bytes: say " + number + "GiB or " + number + "MiB";
}

}  // namespace xsched::config
