#include "server/device_use.h"

#include <algorithm>
#include <set>

#include "base/capped.h"
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
    struct Busy {
        uid_t user = 0;
        int64_t ns = 0;
    };
    std::map<Key, Busy> all;
    for (const auto& [id, client] : clients)
        for (const SeenQueue& queue : queues_of(*client)) {
            Busy& busy = all[{client->process(), queue.slot.device.load(std::memory_order_relaxed)}];
            busy.user = client->user().uid();
            busy.ns =
                base::capped_sum(busy.ns, std::max<int64_t>(queue.slot.busy_ns.load(std::memory_order_relaxed), 0));
        }
    std::set<uid_t> full;  // they have as many as there is room for
    for (const auto& [key, busy] : all) {
        UseTable::Entry* entry = known_entry(key);
        if (entry == nullptr && !full.contains(busy.user)) {
            entry = new_entry(key, busy.user, now_ns);
            if (entry == nullptr) full.insert(busy.user);
        }
        if (entry == nullptr) continue;
        used |= entry->looked_at_ns == 0 || entry->busy_ns[second_of(entry->looked_at_ns)] != busy.ns;
        entry->looked_at_ns = entry->at_ns[second_of(now_ns)] = now_ns;
        entry->busy_ns[second_of(now_ns)] = busy.ns;
    }
    quiet_ = used ? 0 : quiet_ + 1;
    if (quiet_ < kQuietLooks) return;
    quiet_ = 0;
    due_ns_ = 0;
}

UseTable::Entry* DeviceUse::known_entry(const Key& key) const {
    const auto known = by_key_.find(key);
    return known != by_key_.end() ? known->second : nullptr;
}

// Null: there is no room, or the user has as many as it may.
UseTable::Entry* DeviceUse::new_entry(const Key& key, uid_t user, int64_t now_ns) {
    UseTable::Entry* free = nullptr;
    size_t of_user = 0;
    for (UseTable::Entry& entry : table_->entries) {
        if (!is_old(entry, now_ns))
            of_user += entry.user == user ? 1 : 0;
        else if (free == nullptr)
            free = &entry;
    }
    if (free == nullptr || of_user >= UseTable::kMostOfUser) return nullptr;
    if (free->process != 0) by_key_.erase({free->process, free->device});
    *free = {};
    free->process = key.first;
    free->device = key.second;
    free->user = user;
    return by_key_[key] = free;
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
