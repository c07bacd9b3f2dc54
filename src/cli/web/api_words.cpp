#include "cli/web/api_words.h"

namespace xsched::cli {
namespace {

struct Wording {
    const char* command_line;
    const char* api;
};
constexpr Wording kWordings[] = {
    {"a program (PID or name), a queue (-x QUEUE), a device (--device DEVICE) or --all",
     "a process (\"pid\") or one of its queues (\"queue\")"},
    {"(PID)", "(\"pid\")"},
    {"(--pid PID)", "(\"pid\")"},
    {"(-x QUEUE)", "(\"queue\")"},
    {"(-p)", "(\"priority\")"},
    {"(--share)", "(\"share\")"},
    {"(-l)", "(\"level\")"},
    {"(--threshold)", "(\"threshold\")"},
    {"(-b)", "(\"batch_size\")"},
    {"('xcli hint --help')", "(GET /api/v1/openapi.json)"},
    {"'xcli list' shows", "the list of queues (GET /api/v1/queues) shows"},
    {"'xcli list --json' shows", "the list of queues (GET /api/v1/queues) shows"},
    {"'xcli status' shows", "the list of programs (GET /api/v1/programs) shows"},
    {"'xcli status --limits' shows", "the list of limits (GET /api/v1/limits) shows"},
};

}  // namespace

std::string in_api_words(std::string sentence) {
    for (const auto& [command_line, api] : kWordings) {
        const std::string from = command_line;
        for (size_t at = sentence.find(from); at != std::string::npos; at = sentence.find(from))
            sentence.replace(at, from.size(), api);
    }
    return sentence;
}

}  // namespace xsched::cli
