#include "server/tools/other_users.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace xsched::server {

OtherUsers::OtherUsers(const Request& request) {
    std::map<std::pair<uint64_t, uint64_t>, bool> has_work;  // by process and device
    for (const auto& [id, client] : request.host.clients) {
        if (request.may_see(*client)) continue;
        for (const SeenQueue& queue : queues_of(*client))
            has_work[{client->process(), queue.slot.device.load()}] |= work_of(queue).ready;
    }
    for (const auto& [key, ready] : has_work) add(request, key.first, key.second, ready);
}

void OtherUsers::add(const Request& request, uint64_t process, uint64_t device, bool has_work) {
    constexpr double kLittlePercent = 1;  // a program that had less slows no other: "judgement", as xcli explain's
    OnDevice& here = devices_[device];
    for (size_t i = 0; i < std::size(kWindowsS); ++i)
        if (const auto percent = request.host.use.percent(process, device, kWindowsS[i]))
            here.got[i] = std::min(here.got[i].value_or(0) + *percent, 100.0);
    const bool worked = request.host.use.percent(process, device, 10).value_or(0) >= kLittlePercent;
    here.at_work += has_work || worked ? 1 : 0;
}

Json OtherUsers::describe(uint64_t device) const {
    const auto found = devices_.find(device);
    const OnDevice here = found != devices_.end() ? found->second : OnDevice{};
    Json got = Json::array();
    for (const std::optional<double>& percent : here.got) got.push_back(percent ? Json(*percent) : Json());
    return {{"others_at_work", here.at_work}, {"others_got_percent", got}};
}

std::string OtherUsers::text(uint64_t device) const {
    const auto found = devices_.find(device);
    if (found == devices_.end() || found->second.at_work == 0) return "";
    const OnDevice& here = found->second;
    const std::string use = here.at_work == 1
                                ? "1 program of another user uses it as well"
                                : base::counted(here.at_work, "program") + " of other users use it as well";
    return here.got[1].value_or(0) >= 0.5
               ? use + ", and had " + std::to_string(std::lround(*here.got[1])) + " % of it in the last 10 s"
               : use;
}

}  // namespace xsched::server
