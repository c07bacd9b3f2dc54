#include "server/device_use.h"

#include <algorithm>

#include "base/clock.h"
#include "server/seen_queue.h"

namespace xsched::server {
namespace {

constexpr int kQuietLooks = 10;

size_t second_of(int64_t ns) { return static_cast<size_t>(ns / base::kSecond % UseTable::kSeconds); }

bool is_old(const UseTable::Entry& entry, int64_t now_ns) {
    const int64_t age_ns = now_ns - entry.looked_at_ns;
    return entry.process == 0 || age_ns < 0 || age_ns > UseTable::kSeconds * base::kSecond;
}

}  // namespace

DeviceUse::DeviceUse(UseTable* kept)
    : own_(kept == nullptr ? std::make_unique<UseTable>() : nullptr), table_(kept != nullptr ? kept : own_.get()) {
    const int64_t now_ns = base::now_ns();
    for (UseTable::Entry& entry : table_->entries)
        if (!is_old(entry, now_ns)) by_key_[{entry.process, entry.device}] = &entry;
}

void DeviceUse::look(const Clients& clients, int64_t now_ns) {
    if (clients.empty()) {
        due_ns_ = 0;
        return;
    }
    if (due_ns_ == 0 || now_ns < due_ns_) return;
    due_ns_ = now_ns + base::kSecond;
    bool used = false;
    std::map<std::pair<uint64_t, uint64_t>, int64_t> busy_ns;
    for (const auto& [id, client] : clients)
        for (const SeenQueue& queue : queues_of(*client)) {
            const int64_t busy = queue.slot.busy_ns.load(std::memory_order_relaxed);
            busy_ns[{client->process(), queue.slot.device.load(std::memory_order_relaxed)}] +=
                std::clamp<int64_t>(busy, 0, INT64_MAX / ipc::kMostQueues);
        }
    for (const auto& [key, busy] : busy_ns) {
        UseTable::Entry* entry = entry_of(key.first, key.second, now_ns);
        if (entry == nullptr) break;  // as many as there is room for
        used |= entry->looked_at_ns == 0 || entry->busy_ns[second_of(entry->looked_at_ns)] != busy;
        entry->looked_at_ns = entry->at_ns[second_of(now_ns)] = now_ns;
        entry->busy_ns[second_of(now_ns)] = busy;
    }
    quiet_ = used ? 0 : quiet_ + 1;
    if (quiet_ < kQuietLooks) return;
    quiet_ = 0;
    due_ns_ = 0;
}

UseTable::Entry* DeviceUse::entry_of(uint64_t process, uint64_t device, int64_t now_ns) {
    UseTable::Entry*& known = by_key_[{process, device}];
    if (known != nullptr && known->process == process && known->device == device) return known;
    for (UseTable::Entry& entry : table_->entries) {
        if (!is_old(entry, now_ns)) continue;
        if (entry.process != 0) by_key_.erase({entry.process, entry.device});
        entry = {};
        entry.process = process;
        entry.device = device;
        return known = &entry;
    }
    by_key_.erase({process, device});
    return nullptr;
}

std::optional<double> DeviceUse::percent(uint64_t process, uint64_t device, int64_t seconds) const {
    const auto found = by_key_.find({process, device});
    if (found == by_key_.end()) return std::nullopt;
    const UseTable::Entry& entry = *found->second;
    const int64_t last_ns = entry.looked_at_ns;
    const int64_t since_ns = last_ns - seconds * base::kSecond - base::kSecond / 2;
    int64_t first_ns = last_ns;
    int64_t first_busy_ns = 0;
    for (int64_t i = 0; i < UseTable::kSeconds; ++i) {
        if (entry.at_ns[i] < since_ns || entry.at_ns[i] == 0 || entry.at_ns[i] >= first_ns) continue;
        first_ns = entry.at_ns[i];
        first_busy_ns = entry.busy_ns[i];
    }
    if (first_ns == last_ns) return std::nullopt;
    const int64_t used_ns = std::max<int64_t>(entry.busy_ns[second_of(last_ns)] - first_busy_ns, 0);
    return 100.0 * static_cast<double>(used_ns) / static_cast<double>(last_ns - first_ns);
}

}  // namespace xsched::server
