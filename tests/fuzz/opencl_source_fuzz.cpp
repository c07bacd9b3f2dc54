// A program's OpenCL text, in pieces and with guards put in: pieces lie in the text, and every byte of the text is in
// what the driver gets.
#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/bytes.h"
#include "fuzz/target.h"
#include "platform/opencl/guards/shim/guard_source.h"
#include "platform/opencl/guards/shim/source_tokens.h"

namespace xsched::fuzz::opencl_source_target {
namespace {

void check_tokens(std::string_view source) {
    size_t at = 0;
    for (const opencl::Token& token : opencl::tokens_of(source)) {
        demand(token.at >= at && !token.text.empty(), "pieces follow one another");
        demand(source.substr(token.at, token.text.size()) == token.text, "a piece is a part of the text");
        at = token.at + token.text.size();
    }
    demand(at <= source.size(), "and lies within it");
}

// Checks the guarded source: it has all of the program's text, except the word `void` of an empty parameter list, and
// inserted text.
void check_guarded(std::string_view source, const opencl::GuardedSource& guarded) {
    while (!source.empty() && source.back() == '\0') source.remove_suffix(1);
    const std::string_view text = std::string_view(guarded.text).substr(guarded.text.find("#line 1\n") + 8);
    demand(text.size() + 4 * guarded.guarded.size() * source.size() >= source.size(), "nothing is lost");
    demand(text.find("xsched_guard_") != std::string_view::npos, "a guarded text has a guard");
}

}  // namespace

XSCHED_FUZZ(opencl_source) {
    Bytes bytes(input);
    const auto part = static_cast<opencl::SourcePart>(bytes.below(3));
    const std::vector<std::string> kernels = opencl::names_in(bytes.until('\n'));
    for (const std::string& kernel : kernels) demand(!kernel.empty(), "a kernel has a name");
    const std::string_view source = bytes.rest();
    check_tokens(source);
    const opencl::GuardedSource guarded = opencl::guard_source(source, kernels, part);
    demand(guarded.guarded.size() + guarded.left_alone.size() == kernels.size(), "every kernel is accounted for");
    demand(guarded.text.empty() == guarded.guarded.empty(), "a text without guards is none of ours");
    if (!guarded.text.empty()) check_guarded(source, guarded);
}

}  // namespace xsched::fuzz::opencl_source_target
