#include "platform/opencl/guards/shim/guard_source.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "platform/opencl/guards/hal/guard_words.h"
#include "platform/opencl/guards/shim/source_tokens.h"

namespace xsched::opencl {
namespace {

// A change of the source: at `at`, `erase` bytes are removed and text is put in.
struct Edit {
    size_t at;
    size_t erase;
    std::string text;
};

// One kernel's places in the text, or why it is left alone.
struct Places {
    std::vector<Edit> edits;
    bool defined = false;
    const char* why = nullptr;
    bool absent = false;
};

bool is(const Token& token, std::string_view text) { return !token.directive && token.text == text; }

// Returns the position of the next token after `at` that is no part of a preprocessor line; the end if there is none.
size_t next(const std::vector<Token>& tokens, size_t at) {
    do ++at;
    while (at < tokens.size() && tokens[at].directive);
    return at;
}

// Returns the position of the parenthesis that closes the one at `open`.
std::optional<size_t> closing(const std::vector<Token>& tokens, size_t open) {
    int depth = 0;
    for (size_t at = open; at < tokens.size(); at = next(tokens, at)) {
        if (is(tokens[at], "(")) ++depth;
        if (is(tokens[at], ")") && --depth == 0) return at;
        if (is(tokens[at], "{") || is(tokens[at], ";")) return std::nullopt;
    }
    return std::nullopt;
}

Edit with_parameters(const std::vector<Token>& tokens, size_t open, size_t close) {
    const size_t first = next(tokens, open);
    if (first == close) return {tokens[close].at, 0, kGuardParameterText};
    if (is(tokens[first], "void") && next(tokens, first) == close) return {tokens[first].at, 4, kGuardParameterText};
    return {tokens[close].at, 0, std::string(", ") + kGuardParameterText};
}

// Looks at an occurrence of a kernel's name. Adds the changes for a definition or a prototype to `places`, and returns
// nullptr; otherwise returns why the kernel gets no guard.
const char* look_at(const std::vector<Token>& tokens, size_t at, Places& places) {
    if (tokens[at].directive) return "its name is in a preprocessor line";
    const size_t open = next(tokens, at);
    if (open >= tokens.size() || !is(tokens[open], "(")) return "its name is used for something else";
    const std::optional<size_t> close = closing(tokens, open);
    if (!close) return "its parameters do not end plainly";
    const size_t after = *close + 1;  // a preprocessor line between the two would not be plain either
    const bool prototype = at > 0 && is(tokens[at - 1], "void") && after < tokens.size() && is(tokens[after], ";");
    const bool definition = after < tokens.size() && is(tokens[after], "{");
    if (!prototype && !definition) return "it is called in the program's text";
    places.edits.push_back(with_parameters(tokens, open, *close));
    if (definition) places.edits.push_back({tokens[after].at + 1, 0, kGuardPrologue});
    places.defined = places.defined || definition;
    return nullptr;
}

Places places_of(const std::vector<Token>& tokens, const std::string& kernel) {
    Places places;
    for (size_t at = 0; at < tokens.size(); ++at) {
        if (tokens[at].text != kernel) continue;
        places.why = look_at(tokens, at, places);
        if (places.why != nullptr) return places;
    }
    places.absent = !places.defined;
    if (places.absent) places.why = "its definition is not in the program's text";
    return places;
}

// Returns why no kernel of this program may be guarded; nullptr: kernels may be guarded.
const char* objection(const std::vector<Token>& tokens) {
    for (const Token& token : tokens) {
        if (token.text.starts_with("xsched_guard_")) return "the program uses XSched's own names";
        if (token.text == "enqueue_kernel") return "its kernels enqueue kernels";
    }
    return nullptr;
}

// Returns the text before the program's own first line. Functions of several texts must not meet when these are linked;
// before OpenCL 1.2, without linking, there was no `static` for them.
std::string head(SourcePart part) {
    std::string text;
    if (part == SourcePart::kWhole) text.append(kGuardPrototype);
    if (part != SourcePart::kWhole) text.append("static ");
    text.append(kGuardFunction);
    const std::string tail = std::string("__kernel void ") + kTailKernel + "(void)";
    if (part != SourcePart::kOther) text.append(tail).append(";").append(tail).append(" {}");
    return text.append("\n#line 1\n");
}

std::string apply(std::string_view source, std::vector<Edit>& edits, SourcePart part) {
    std::sort(edits.begin(), edits.end(), [](const Edit& one, const Edit& other) { return one.at < other.at; });
    std::string text = head(part);
    size_t from = 0;
    for (const Edit& edit : edits) {
        text.append(source.substr(from, edit.at - from)).append(edit.text);
        from = edit.at + edit.erase;
    }
    return text.append(source.substr(from));
}

}  // namespace

GuardedSource guard_source(std::string_view source, const std::vector<std::string>& kernels, SourcePart part) {
    GuardedSource result;
    while (!source.empty() && source.back() == '\0') source.remove_suffix(1);
    const std::vector<Token> tokens = tokens_of(source);
    const char* against = objection(tokens);
    std::vector<Edit> edits;
    for (const std::string& kernel : kernels) {
        Places places;
        if (against == nullptr) places = places_of(tokens, kernel);
        const char* why = against != nullptr ? against : places.why;
        if (why != nullptr) {
            result.left_alone.push_back({kernel, why, places.absent});
            continue;
        }
        result.guarded.push_back(kernel);
        for (Edit& edit : places.edits) edits.push_back(std::move(edit));
    }
    if (!result.guarded.empty()) result.text = apply(source, edits, part);
    return result;
}

std::vector<std::string> names_in(std::string_view list) {
    std::vector<std::string> names;
    while (!list.empty()) {
        const size_t end = list.find_first_of(std::string_view(";\0", 2));
        std::string_view name = list.substr(0, end);
        while (!name.empty() && base::is_space(name.front())) name.remove_prefix(1);
        while (!name.empty() && base::is_space(name.back())) name.remove_suffix(1);
        if (!name.empty()) names.emplace_back(name);
        list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    }
    return names;
}

}  // namespace xsched::opencl
