#include "dispatch/user_share.h"

#include <algorithm>

namespace xsched::dispatch {

namespace {

constexpr int32_t kPriorities = PRIORITY_MAX - PRIORITY_MIN + 1;

void add(std::atomic<uint32_t>& count, uint32_t number) {
    count.store(count.load(std::memory_order_relaxed) + number, std::memory_order_relaxed);
}

auto find_device(UserLimits& limits, uint64_t device) {
    return std::find_if(limits.devices.begin(), limits.devices.end(),
                        [device](const auto& known) { return known.first == device; });
}

}  // namespace

bool UserShare::take_queue(uint64_t device) {
    if (limits_ == nullptr) return true;
    const uint32_t most = limits_->queues.load(std::memory_order_relaxed);
    if (limits_->queues_used.load(std::memory_order_relaxed) >= most || !take_device(device)) return false;
    add(limits_->queues_used, 1);
    return true;
}

bool UserShare::take_record() {
    if (limits_ == nullptr) return true;
    if (limits_->records / kRecordsPerQueue >= limits_->queues.load(std::memory_order_relaxed)) return false;
    ++limits_->records;
    return true;
}

bool UserShare::take_device(uint64_t device) {
    auto& devices = limits_->devices;
    const auto known = find_device(*limits_, device);
    if (known == devices.end()) {
        if (devices.size() >= kMostDevices) return false;
        devices.emplace_back(device, 1);
        return true;
    }
    ++known->second;
    return true;
}

void UserShare::return_queue(uint64_t device) {
    if (limits_ == nullptr) return;
    add(limits_->queues_used, UINT32_MAX);  // one less
    const auto known = find_device(*limits_, device);
    if (known == limits_->devices.end() || --known->second != 0) return;
    *known = limits_->devices.back();
    limits_->devices.pop_back();
}

int32_t UserShare::take_priority(int32_t wanted) {
    if (limits_ == nullptr || wanted < PRIORITY_MIN) return wanted;
    int32_t at = wanted - PRIORITY_MIN;
    uint32_t* const in_use = limits_->in_use;
    const uint32_t most = std::max(limits_->priorities.load(std::memory_order_relaxed), 1U);
    if (in_use[at] == 0 && limits_->priorities_used.load(std::memory_order_relaxed) >= most) {
        int32_t other = at;
        while (other >= 0 && in_use[other] == 0) --other;
        while (other < 0 || in_use[other] == 0) ++other;  // none is lower: take the lowest
        at = other;
    }
    if (in_use[at]++ == 0) add(limits_->priorities_used, 1);
    return at + PRIORITY_MIN;
}

void UserShare::return_priority(int32_t granted) {
    if (limits_ == nullptr || granted < PRIORITY_MIN || granted - PRIORITY_MIN >= kPriorities) return;
    if (--limits_->in_use[granted - PRIORITY_MIN] == 0) add(limits_->priorities_used, UINT32_MAX);
}

}  // namespace xsched::dispatch
