#include "console/help.h"

#include <algorithm>
#include <cctype>
#include <memory>

#include "console/fold.h"

namespace xsched::console {
namespace {

constexpr const char* kExitStatus = "Exit status";

// Returns a text in which no two lines in a row are empty, and which ends with one line's end.
std::string without_gaps(const std::string& text) {
    std::string result;
    for (const char letter : text + "\n") {
        const size_t size = result.size();
        const bool gap = size >= 2 && result[size - 1] == '\n' && result[size - 2] == '\n';
        if (letter != '\n' || !gap) result += letter;
    }
    while (result.size() >= 2 && result[result.size() - 2] == '\n') result.pop_back();
    return result;
}

class Help : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
        const bool program = app->get_parent() == nullptr;
        std::string text = make_description(app) + "\n" + make_usage(app, std::move(name));
        if (!program && !app->get_footer().empty()) text += "\n" + make_footer(app);
        text += make_positionals(app) + make_groups(app, mode) + make_subcommands(app, mode);
        const bool has_status = app->get_footer().find(kExitStatus) != std::string::npos;
        const CLI::App* top = app;
        while (top->get_parent() != nullptr) top = top->get_parent();
        if ((program || !has_status) && !top->get_footer().empty()) text += "\n" + top->get_footer() + "\n";
        const size_t width = text_width();
        return folded(without_gaps(text), width != 0 ? width : kUsualWidth);
    }

    // Returns the command's description as a sentence: begun with a capital letter and ended with a full stop.
    std::string make_description(const CLI::App* app) const override {
        std::string text = app->get_description();
        if (text.empty()) return text;
        text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
        return text + (text.back() == '.' ? "\n" : ".\n");
    }

    std::string make_option_opts(const CLI::Option* option) const override {
        if (option->get_positional() && option->get_lnames().empty()) return "";
        const std::string name = value_name(*option);
        const bool many = option->get_expected_max() == CLI::detail::expected_max_vector_size;
        return (name.empty() ? "" : " " + name) + (many ? "..." : "");
    }

    // Names an argument in the usage line: its own text, if it has one, otherwise its name.
    std::string make_option_usage(const CLI::Option* option) const override {
        return option->get_option_text().empty() ? CLI::Formatter::make_option_usage(option)
                                                 : option->get_option_text();
    }
};

}  // namespace

std::string value_name(const CLI::Option& option) {
    if (option.get_items_expected_max() == 0) return "";
    const std::string type = option.get_type_name();
    const std::string word = type.substr(0, type.find(':'));
    if (word == "INT" || word == "UINT" || word == "FLOAT") return "N";
    if (word != "TEXT") return word;
    const std::string name = option.get_lnames().empty() ? "value" : option.get_lnames().front();
    std::string last = name.substr(name.rfind('-') + 1);
    std::transform(last.begin(), last.end(), last.begin(), [](unsigned char c) { return std::toupper(c); });
    return last;
}

std::string choices(const CLI::Option& option) {
    const std::string type = option.get_type_name();  // "TEXT:{fast,slow}"
    const size_t begin = type.find('{');
    const size_t end = type.find('}');
    if (begin == std::string::npos || end == std::string::npos) return "";
    std::string words = type.substr(begin + 1, end - begin - 1);
    std::replace(words.begin(), words.end(), ',', ' ');
    return words;
}

void shape_help(CLI::App& app) {
    app.formatter(std::make_shared<Help>());
    for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) shape_help(*command);
}

}  // namespace xsched::console
