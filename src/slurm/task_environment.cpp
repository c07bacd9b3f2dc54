#include "slurm/task_environment.h"

#include <set>

namespace xsched::slurm {

std::vector<std::string> split_environment(const std::string& text) {
    std::vector<std::string> all;
    for (size_t at = 0; at < text.size();) {
        const size_t end = text.find('\0', at);
        if (end == std::string::npos) break;
        all.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return all;
}

std::vector<std::pair<std::string, std::string>> changes(const std::vector<std::string>& before,
                                                         const std::vector<std::string>& after) {
    const std::set<std::string> known(before.begin(), before.end());
    std::vector<std::pair<std::string, std::string>> all;
    for (const std::string& entry : after) {
        const size_t equals = entry.find('=');
        if (equals == std::string::npos || equals == 0 || known.count(entry) != 0) continue;
        all.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    }
    return all;
}

}  // namespace xsched::slurm
