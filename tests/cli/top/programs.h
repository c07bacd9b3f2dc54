// The programs of an answer of the server's, and the text of a picture, for tests of xcli top.
#pragma once

#include <string>
#include <vector>

#include "cli/server_link.h"
#include "cli/top/view.h"

namespace xsched::test {

inline cli::Json program(uint32_t client, const std::string& name, int64_t priority, double held_ms) {
    const cli::Json held{
        {"seconds", 1}, {"holds", 7}, {"ms", held_ms}, {"longest_ms", 2.0}, {"by", cli::Json::array()}};
    return {{"pid", 1000 + client},
            {"client", client},
            {"program", name},
            {"queues", 1},
            {"priority", priority},
            {"share", 30},
            {"state", held_ms > 0 ? "held" : "runs"},
            {"followed", true},
            {"command_ms", 0.5},
            {"devices", {{{"device", "GPU:1"}, {"platform", "cuda"}, {"got_percent", {40.0, 41.0, 42.0}}}}},
            {"held", {held, held, held}},
            {"cost", {{{"victims", cli::Json::array()}}}},
            {"bursts", {{"count", 2}, {"buckets", {{80, 2}}}}}};
}

inline cli::Json answer_of(size_t programs) {
    cli::Json answer{{"policy", "HPF"}, {"programs", cli::Json::array()}};
    for (uint32_t i = 1; i <= programs; ++i)
        answer["programs"].push_back(program(i, "program" + std::to_string(i), i, i == 2 ? 100.0 : 0.0));
    return answer;
}

inline std::string text_of(const std::vector<cli::TopLine>& picture) {
    std::string text;
    for (const cli::TopLine& line : picture) text += line.text + "\n";
    return text;
}

}  // namespace xsched::test
