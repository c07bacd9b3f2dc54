#include "server/tools/unconnected.h"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/log.h"
#include "base/printable.h"
#include "server/system_files.h"

namespace xsched::server {
namespace {

using Programs = std::vector<ToolHost::Announced>;

Programs visible(const Request& request, Programs programs) {
    std::erase_if(programs, [&request](const ToolHost::Announced& one) {
        return !request.rules_server() && one.user != request.asking.peer.uid;
    });
    return programs;
}

using Names = std::vector<std::string>;

// Reads the programs' names, on the thread that may block. If memory is exhausted, the others stay empty.
void read_names(const Programs& programs, Names& names) {
    try {
        for (size_t i = 0; i < programs.size(); ++i) {
            const std::string text = base::text_of_file("/proc/" + std::to_string(programs[i].pid) + "/comm");
            names[i] = base::printable(text.substr(0, text.find('\n')));
        }
    } catch (const std::bad_alloc&) {
        XLOG_WARN("the names of programs cannot be read: there is no memory for them");
    }
}

// Returns the programs' names. All files are read in one look: a look for each takes twice as long (stopped_looks.h).
Names names_of(const Programs& programs) {
    const auto names = std::make_shared<Names>(programs.size());
    const bool in_time = look_in_time("/proc/PID/comm", [names, programs] { read_names(programs, *names); });
    return in_time ? *names : Names(programs.size());
}

}  // namespace

Json not_connected(const Request& request) {
    Programs all_programs = request.host.announced();
    const Json suspended = request.host.orders.suspending();
    for (const Json& order : suspended) {
        const auto pid = order.value("pid", pid_t{0});
        if (std::none_of(all_programs.begin(), all_programs.end(), [pid](const auto& one) { return one.pid == pid; }))
            all_programs.push_back({pid, order.value("owner", order.value("user", uid_t{0}))});
    }
    const Programs programs = visible(request, std::move(all_programs));
    Json all = Json::array();
    if (programs.empty()) return all;
    const Names names = names_of(programs);
    for (size_t i = 0; i < programs.size(); ++i)
        all.push_back({{"pid", programs[i].pid},
                       {"uid", programs[i].user},
                       {"program", names[i]},
                       {"suspended", request.host.orders.suspends(programs[i].pid)}});
    return all;
}

Json ended_unused(const Request& request) {
    Json all = Json::array();
    for (const ToolHost::Announced& one : visible(request, request.host.ended_unused()))
        all.push_back({{"pid", one.pid}});
    return all;
}

}  // namespace xsched::server
