#include "cli/admit/program_name.h"

#include "base/program_name.h"
#include "ipc/protocol.h"

namespace xsched::cli {

std::string program_name_of(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) line += word + '\0';
    const std::string& path = words.front();
    char name[sizeof(ipc::Hello::program)];
    base::name_program(path.substr(path.rfind('/') + 1).c_str(), line.data(), line.size(), name, sizeof(name));
    return name;
}

}  // namespace xsched::cli
