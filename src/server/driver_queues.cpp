#include "server/driver_queues.h"

#include <algorithm>
#include <memory>
#include <new>

#include "base/time.h"
#include "server/system_files.h"
#include "xsched/types.h"

namespace xsched::server {
namespace {

// Time between two looks. One look reads two files for each queue, so this bounds the cost of tools that ask often
// ("safety").
constexpr int64_t kCountEveryNs = base::kSecond;

double fullness(const hip::KernelQueues& node) {
    return static_cast<double>(node.queues) / static_cast<double>(node.at_once);
}

}  // namespace

void DriverQueues::look(int64_t now_ns) {
    if (looked_ns_ != 0 && now_ns - looked_ns_ < kCountEveryNs) return;
    looked_ns_ = now_ns;
    found_.clear();
    const auto answer = std::make_shared<std::vector<hip::KernelQueues>>();
    const auto count = [answer, root = root_] {
        try {
            *answer = hip::kernel_queues(root);
        } catch (const std::bad_alloc&) {
            answer->clear();
        }
    };
    if (look_in_time("/sys/class/kfd/kfd/proc", count)) found_ = std::move(*answer);
}

const hip::KernelQueues* DriverQueues::of(uint64_t device, int64_t now_ns) {
    if (device >> 32 != static_cast<uint64_t>(kDeviceTypeGPU)) return nullptr;
    look(now_ns);
    const hip::KernelQueues* fullest = nullptr;
    for (const hip::KernelQueues& node : found_)
        if (node.address == static_cast<uint32_t>(device) &&
            (fullest == nullptr || fullness(node) > fullness(*fullest)))
            fullest = &node;
    return fullest;
}

bool DriverQueues::any_take_turns(int64_t now_ns) {
    look(now_ns);
    return std::any_of(found_.begin(), found_.end(), [](const hip::KernelQueues& node) { return node.take_turns(); });
}

}  // namespace xsched::server
