#include "server/device_use.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "base/capped.h"
#include "base/clock.h"
#include "base/side_by_side.h"
#include "dispatch/record.h"

namespace xsched::server {
namespace {

constexpr int kQuietLooks = 10;

size_t second_of(int64_t ns) { return static_cast<size_t>(ns / base::kSecond % UseTable::kSeconds); }

bool is_old(const UseTable::Entry& entry, int64_t now_ns) {
    const int64_t age_ns = now_ns - entry.looked_at_ns;
    return entry.process == 0 || age_ns < 0 || age_ns > UseTable::kSeconds * base::kSecond;
}

// Adds a counter that a client wrote; the client may write any value, so the sum stops at the largest.
void add(uint64_t& sum, const std::atomic<uint64_t>& number) {
    sum = base::capped_sum(sum, number.load(std::memory_order_relaxed));
}

}  // namespace

// One program's use of one device since the last look.
struct DeviceUse::Use {
    uid_t user = 0;
    base::SideBySide together;
    int64_t running_ns = 0;  // device time that its queues report, added up
    int64_t had_ns = 0;  // the part of it that is booked in this look
    UseTable::Given given{};
};

DeviceUse::DeviceUse(UseTable* kept)
    : own_(kept == nullptr ? std::make_unique<UseTable>() : nullptr), table_(kept != nullptr ? kept : own_.get()) {
    const int64_t now_ns = base::now_ns();
    for (UseTable::Entry& entry : table_->entries)
        if (!is_old(entry, now_ns)) by_key_[{entry.process, entry.device}] = &entry;
}

std::vector<uint32_t> DeviceUse::look(const Clients& clients, int64_t now_ns) {
    if (clients.empty()) due_ns_ = 0;
    if (due_ns_ == 0 || now_ns < due_ns_) return {};
    unheard_.clear();
    due_ns_ = now_ns + base::kSecond;
    const int64_t passed_ns = looked_ns_ != 0 ? now_ns - looked_ns_ : 0;
    std::map<Key, Use> all = use_since_last_look(clients, passed_ns);
    looked_ns_ = now_ns;
    const bool used = note(all, passed_ns, now_ns);
    quiet_ = used ? 0 : quiet_ + 1;
    if (quiet_ >= kQuietLooks) {
        quiet_ = 0;
        due_ns_ = 0;
    }
    return unheard_;
}

std::map<DeviceUse::Key, DeviceUse::Use> DeviceUse::use_since_last_look(const Clients& clients, int64_t passed_ns) {
    std::map<Key, Use> all;
    SeenQueues seen;
    for (const auto& [id, client] : clients)
        for (const SeenQueue& queue : queues_of(*client))
            add_queue(queue, passed_ns, seen,
                      all[{client->process(), queue.slot.device.load(std::memory_order_relaxed)}]);
    seen_.swap(seen);
    return all;
}

// Returns for how long the program had run without a report until the last look.
int64_t DeviceUse::silent_for(const Key& key, const Use& use, int64_t passed_ns) {
    int64_t& silent_ns = silent_ns_[key];
    const int64_t before_ns = silent_ns;
    silent_ns = use.had_ns != 0 ? 0 : base::capped_sum(silent_ns, std::min(use.running_ns, passed_ns));
    return before_ns;
}

// Divides the device's time among programs that ran side by side. Each of them reports the whole time, so the sum is
// scaled down to what the device had. Time that is over counts as used later only as far as a program may have used it
// that has reported nothing since: not time in which all were held or idle.
void DeviceUse::divide(std::map<Key, Use>& all, int64_t passed_ns) {
    struct Device {
        int64_t had_ns = 0;
        int64_t most_ns = 0;  // the largest use of a single program
        int64_t ran_ns = 0;  // time in which the device's programs could use it, added up
        int64_t silent_ns = 0;  // the longest time for which one of them has run and reported nothing
        double part = 1;  // the part of each report that counts
    };
    std::map<uint64_t, Device> devices;
    for (auto& [key, use] : all) {
        use.together.could(std::min(use.running_ns, passed_ns));
        use.had_ns = use.together.take();
        Device& device = devices[key.second];
        device.had_ns = base::capped_sum(device.had_ns, use.had_ns);
        device.most_ns = std::max(device.most_ns, use.had_ns);
        device.ran_ns = base::capped_sum(device.ran_ns, std::min(use.running_ns, passed_ns));
        device.silent_ns = std::max(device.silent_ns, silent_for(key, use, passed_ns));
    }
    std::erase_if(could_ns_, [&devices](const auto& it) { return !devices.contains(it.first); });
    std::erase_if(silent_ns_, [&all](const auto& it) { return !all.contains(it.first); });
    for (auto& [number, device] : devices) {
        int64_t& could_ns = could_ns_[number];
        could_ns = std::min(base::capped_sum(could_ns, std::min(device.ran_ns, passed_ns)),
                            base::capped_sum(device.silent_ns, passed_ns));
        if (const int64_t most_ns = std::max(could_ns, device.most_ns); device.had_ns > most_ns)
            device.part = static_cast<double>(most_ns) / static_cast<double>(device.had_ns);
        could_ns -= std::min(device.had_ns, could_ns);
    }
    for (auto& [key, use] : all)
        if (const double part = devices[key.second].part; part < 1)
            use.had_ns = static_cast<int64_t>(static_cast<double>(use.had_ns) * part);
}

// Spreads reports that exceed the time since the last look over later looks. A program that waits for seconds of work
// at once reports all of that time at the end.
void DeviceUse::spread(std::map<Key, Use>& all, int64_t passed_ns) {
    std::map<uint64_t, int64_t> had_ns;  // by device
    for (auto& [key, use] : all) {
        if (const auto owed = owed_ns_.find(key); owed != owed_ns_.end())
            use.had_ns = base::capped_sum(use.had_ns, owed->second);
        had_ns[key.second] = base::capped_sum(had_ns[key.second], use.had_ns);
    }
    owed_ns_.clear();
    for (auto& [key, use] : all) {
        const int64_t all_ns = had_ns[key.second];
        if (all_ns <= passed_ns) continue;
        const auto part = static_cast<double>(passed_ns) / static_cast<double>(all_ns);
        const auto noted_ns = static_cast<int64_t>(static_cast<double>(use.had_ns) * part);
        owed_ns_[key] = std::min(use.had_ns - noted_ns, UseTable::kSeconds * base::kSecond);
        use.had_ns = noted_ns;
    }
}

bool DeviceUse::note(std::map<Key, Use>& all, int64_t passed_ns, int64_t now_ns) {
    divide(all, passed_ns);
    spread(all, passed_ns);
    bool used = false;
    std::set<uid_t> full;  // users who have as many entries as there is room for
    for (auto& [key, use] : all) {
        UseTable::Entry* entry = known_entry(key);
        if (entry == nullptr && !full.contains(use.user)) {
            entry = new_entry(key, use.user, now_ns);
            if (entry == nullptr) full.insert(use.user);
        }
        if (entry == nullptr) continue;
        const size_t before = second_of(entry->looked_at_ns);
        used |= entry->looked_at_ns == 0 || use.had_ns != 0 || entry->given[before].commands != use.given.commands;
        entry->looked_at_ns = entry->at_ns[second_of(now_ns)] = now_ns;
        entry->busy_ns[second_of(now_ns)] = base::capped_sum(entry->busy_ns[before], use.had_ns);
        entry->given[second_of(now_ns)] = use.given;
    }
    return used;
}

// Returns for how long the queue could have used its device since the last look. For a queue that is not watched, the
// record shows only samples of its pauses.
int64_t DeviceUse::ran_ns(const dispatch::QueueRecord* record, const Seen& now, const Seen* before, bool uses,
                          int64_t passed_ns) {
    if (record == nullptr) return passed_ns;
    if (record->watched.load(std::memory_order_relaxed) == 0 && uses) return passed_ns;
    return std::max<int64_t>(now.running_ns - (before != nullptr ? before->running_ns : 0), 0);
}

// Adds a queue's use. A queue that is seen for the first time counts only for the time since the last look.
void DeviceUse::add_queue(const SeenQueue& queue, int64_t passed_ns, SeenQueues& now, Use& use) {
    const auto& records = queue.client.record();
    const dispatch::QueueRecord* record = records != nullptr ? records->find(queue.at) : nullptr;
    const Seen seen{.busy_ns = std::max<int64_t>(queue.slot.busy_ns.load(std::memory_order_relaxed), 0),
                    .running_ns = record != nullptr ? record->running_ns.load(std::memory_order_relaxed) : 0,
                    .submitted = queue.slot.submitted.load(std::memory_order_relaxed)};
    const std::pair key{queue.client.id(), queue.at};
    const auto before = seen_.find(key);
    const bool known = before != seen_.end();
    const int64_t had_ns =
        known ? std::max<int64_t>(seen.busy_ns - before->second.busy_ns, 0) : std::min(seen.busy_ns, passed_ns);
    const bool uses = had_ns > 0 || work_of(queue).ready;
    const int64_t running_ns = ran_ns(record, seen, known ? &before->second : nullptr, uses, passed_ns);
    const bool left_alone = record != nullptr && record->watched.load(std::memory_order_relaxed) == 0;
    if (known && left_alone && uses && had_ns == 0 && seen.submitted > before->second.submitted &&
        (unheard_.empty() || unheard_.back() != queue.client.id()))
        unheard_.push_back(queue.client.id());
    now[key] = seen;
    base::SideBySide::Part part;
    if (had_ns > 0) use.together.had(part, had_ns);
    use.running_ns = base::capped_sum(use.running_ns, running_ns);
    use.user = queue.client.user().uid();
    add(use.given.commands, queue.slot.submitted);
    add(use.given.copies, queue.slot.copies);
    add(use.given.bytes, queue.slot.copied_bytes);
}

UseTable::Entry* DeviceUse::known_entry(const Key& key) const {
    const auto known = by_key_.find(key);
    return known != by_key_.end() ? known->second : nullptr;
}

// Returns a new entry; null if there is no room, or the user has as many as one user may have.
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

// The time between an older look and the newest one.
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
    const double percent = 100.0 * static_cast<double>(used_ns) / static_cast<double>(base::kSecond) / found->seconds();
    return std::min(percent, 100.0);
}

std::optional<DeviceUse::Copies> DeviceUse::copies(uint64_t process, uint64_t device, int64_t seconds) const {
    const auto found = span({process, device}, seconds);
    if (!found) return std::nullopt;
    const UseTable::Given& then = found->entry.given[found->first];
    const UseTable::Given& now = found->entry.given[found->last];
    // A counter is smaller than before if a queue was destroyed meanwhile: that counts as no growth.
    const auto grown = [](uint64_t from, uint64_t to) { return to > from ? to - from : 0; };
    return Copies{{grown(then.commands, now.commands), grown(then.copies, now.copies), grown(then.bytes, now.bytes)},
                  found->seconds()};
}

}  // namespace xsched::server
