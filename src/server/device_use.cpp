#include "server/device_use.h"

#include <algorithm>
#include <atomic>
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

// A client writes what it likes.
void add(uint64_t& sum, const std::atomic<uint64_t>& number) {
    sum = base::capped_sum(sum, number.load(std::memory_order_relaxed));
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
    const bool used = note(work_of(clients), now_ns);
    quiet_ = used ? 0 : quiet_ + 1;
    if (quiet_ < kQuietLooks) return;
    quiet_ = 0;
    due_ns_ = 0;
}

std::map<DeviceUse::Key, DeviceUse::Work> DeviceUse::work_of(const Clients& clients) {
    std::map<Key, Work> all;
    for (const auto& [id, client] : clients)
        for (const SeenQueue& queue : queues_of(*client)) {
            Work& work = all[{client->process(), queue.slot.device.load(std::memory_order_relaxed)}];
            const int64_t busy_ns = queue.slot.busy_ns.load(std::memory_order_relaxed);
            work.user = client->user().uid();
            work.busy_ns = base::capped_sum(work.busy_ns, std::max<int64_t>(busy_ns, 0));
            add(work.given.commands, queue.slot.submitted);
            add(work.given.copies, queue.slot.copies);
            add(work.given.bytes, queue.slot.copied_bytes);
        }
    return all;
}

bool DeviceUse::note(const std::map<Key, Work>& all, int64_t now_ns) {
    bool used = false;
    std::set<uid_t> full;  // they have as many as there is room for
    for (const auto& [key, work] : all) {
        UseTable::Entry* entry = known_entry(key);
        if (entry == nullptr && !full.contains(work.user)) {
            entry = new_entry(key, work.user, now_ns);
            if (entry == nullptr) full.insert(work.user);
        }
        if (entry == nullptr) continue;
        const size_t before = second_of(entry->looked_at_ns);
        used |= entry->looked_at_ns == 0 || entry->busy_ns[before] != work.busy_ns ||
                entry->given[before].commands != work.given.commands;
        entry->looked_at_ns = entry->at_ns[second_of(now_ns)] = now_ns;
        entry->busy_ns[second_of(now_ns)] = work.busy_ns;
        entry->given[second_of(now_ns)] = work.given;
    }
    return used;
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

// From one look to the last one.
struct DeviceUse::Span {
    const UseTable::Entry& entry;
    size_t first;
    size_t last;

    double seconds() const {
        return static_cast<double>(entry.at_ns[last] - entry.at_ns[first]) / static_cast<double>(base::kSecond);
    }
};

std::optional<DeviceUse::Span> DeviceUse::span(const Key& key, int64_t seconds) const {
    const UseTable::Entry* entry = known_entry(key);
    if (entry == nullptr) return std::nullopt;
    const size_t last = second_of(entry->looked_at_ns);
    const int64_t since_ns = entry->looked_at_ns - seconds * base::kSecond - base::kSecond / 2;
    size_t first = last;
    int64_t first_ns = entry->looked_at_ns;
    for (size_t i = 0; i < UseTable::kSeconds; ++i) {
        if (entry->at_ns[i] < since_ns || entry->at_ns[i] == 0 || entry->at_ns[i] >= first_ns) continue;
        first = i;
        first_ns = entry->at_ns[i];
    }
    if (first == last) return std::nullopt;
    return Span{*entry, first, last};
}

std::optional<double> DeviceUse::percent(uint64_t process, uint64_t device, int64_t seconds) const {
    const auto found = span({process, device}, seconds);
    if (!found) return std::nullopt;
    const int64_t used_ns =
        std::max<int64_t>(found->entry.busy_ns[found->last] - found->entry.busy_ns[found->first], 0);
    return 100.0 * static_cast<double>(used_ns) / static_cast<double>(base::kSecond) / found->seconds();
}

std::optional<DeviceUse::Copies> DeviceUse::copies(uint64_t process, uint64_t device, int64_t seconds) const {
    const auto found = span({process, device}, seconds);
    if (!found) return std::nullopt;
    const UseTable::Given& then = found->entry.given[found->first];
    const UseTable::Given& now = found->entry.given[found->last];
    const auto grown = [](uint64_t from, uint64_t to) { return to > from ? to - from : 0; };  // queues may be gone
    return Copies{{grown(then.commands, now.commands), grown(then.copies, now.copies), grown(then.bytes, now.bytes)},
                  found->seconds()};
}

}  // namespace xsched::server
