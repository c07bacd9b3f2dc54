#include "server/thread/cpu_priorities.h"

#include <vector>

#include "base/clock.h"
#include "server/thread/cpu_priority.h"

namespace xsched::server {

int64_t CpuPriorities::due_ns() const { return scheduler_.needs() == policy::Fact::kCpuPriority ? due_ns_ : 0; }

void CpuPriorities::look(const Clients& clients, int64_t now_ns) {
    if (scheduler_.needs() != policy::Fact::kCpuPriority || now_ns < due_ns_) return;
    due_ns_ = now_ns + base::kSecond;
    std::vector<uint32_t> changed;
    for (const auto& [id, client] : clients) {
        std::atomic<int32_t>& known = client->record()->cpu_priority;
        const int32_t priority = cpu_priority_of(client->peer().pid);
        if (priority == known.load(std::memory_order_relaxed)) continue;
        known.store(priority, std::memory_order_relaxed);
        changed.push_back(id);
    }
    if (changed.empty()) return;
    scheduler_.run([&changed](dispatch::Dispatcher& dispatcher) {
        for (const uint32_t id : changed) dispatcher.look_at(id);
    });
}

}  // namespace xsched::server
