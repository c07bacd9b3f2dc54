#include "server/device_numbers.h"

namespace xsched::server {
std::optional<uint32_t> DeviceNumbers::number_of(uint64_t device, uid_t user) {
    if (const auto found = known_.find(device); found != known_.end()) return found->second;
    if (device == 0 || told_[user] >= kMostOfUser) return std::nullopt;
    ++told_[user];
    const auto number = static_cast<uint32_t>(known_.size());
    known_[device] = number;
    return number;
}

std::string DeviceNumbers::name_of(uint64_t device, const Client& client) {
    for (const ipc::DeviceName& name : client.header().devices) {
        if (name.device.load(std::memory_order_acquire) != device) continue;
        char text[ipc::DeviceName::kBytes];
        name.read(text);
        return text;
    }
    return "";
}

}  // namespace xsched::server
