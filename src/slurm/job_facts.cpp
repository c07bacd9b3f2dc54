#include "slurm/job_facts.h"

#include <sstream>

namespace xsched::slurm {

std::string value_in(const std::string& line, const std::string& name) {
    std::istringstream words(line);
    for (std::string word; words >> word;)
        if (word.rfind(name + "=", 0) == 0) return word.substr(name.size() + 1);
    return "";
}

}  // namespace xsched::slurm
