// xsim work.
#include <nlohmann/json.hpp>

#include <cstdio>

#include "sim/recorded_work.h"
#include "sim/replay.h"
#include "sim/tool/commands.h"

namespace xsched::sim::tool {

int work_command(const std::string& recording) {
    nlohmann::json known = nlohmann::json::array();
    for (const RecordedWork& one : recorded_work(read_recording_file(recording)))
        known.push_back({{"program", one.program},
                         {"work",
                          {{"requests", one.requests},
                           {"endless", one.endless},
                           {"request_us", one.request_us},
                           {"took_us", one.took_us},
                           {"rest_us", one.rest_us},
                           {"burst_count", one.burst_count},
                           {"pauses_us", one.pauses_us},
                           {"command_us", one.command_us}}}});
    printf("%s\n",
           nlohmann::json{{"known", known}}.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return 0;
}

}  // namespace xsched::sim::tool
