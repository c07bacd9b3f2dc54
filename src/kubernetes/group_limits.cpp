#include "kubernetes/group_limits.h"

#include <algorithm>

namespace xsched::kubernetes {
namespace {

void tighten(GroupLimits& limits, const PreparedDevice& device) {
    if (device.limit != 0) limits.limit = limits.limit == 0 ? device.limit : std::min(limits.limit, device.limit);
    if (device.most_urgent) limits.most_urgent = std::min(limits.most_urgent, *device.most_urgent);
}

}  // namespace

std::vector<std::string> GroupLimits::settings(const std::string& group) const {
    return {group + ":share=" + std::to_string(share), group + ":device-limit=" + std::to_string(limit),
            group + ":highest-priority=" + std::to_string(most_urgent)};
}

std::map<std::string, GroupLimits> limits_of(const std::map<std::string, Prepared>& claims) {
    std::map<std::string, GroupLimits> all;
    std::map<std::string, std::map<std::string, int64_t>> shares;  // by group and device
    for (const auto& [uid, claim] : claims)
        for (const auto& [pod, group] : claim.groups) {
            if (group.empty()) continue;
            const auto pods = static_cast<int64_t>(claim.groups.size());
            for (const PreparedDevice& device : claim.devices) {
                tighten(all[group], device);
                if (device.share != 0) shares[group][device.device] += std::max<int64_t>(device.share / pods, 1);
            }
        }
    for (const auto& [group, by_device] : shares)
        for (const auto& [device, share] : by_device)
            all[group].share = std::clamp(share, all[group].share, kWholeShare);
    return all;
}

}  // namespace xsched::kubernetes
