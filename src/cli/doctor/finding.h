// An answer of xcli doctor to one question, and all answers about one part of the machine.
#pragma once

#include <string>
#include <vector>

namespace xsched::cli {

enum class Answer { kYes, kNo, kUnknown };
inline const char* word(Answer answer) {
    return answer == Answer::kYes ? "yes" : answer == Answer::kNo ? "no" : "unknown";
}

struct Finding {
    std::string what;
    Answer answer;
    std::string detail;  // what was found, or why not and what to do
};

// Preempt levels, 1 first.
struct Platform {
    std::string name;
    std::vector<Finding> findings;
    std::vector<Finding> levels;
};

}  // namespace xsched::cli
