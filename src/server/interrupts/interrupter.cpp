#include "server/interrupts/interrupter.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "server/last_words.h"

namespace xsched::server {
namespace {

// How long a client may take to carry out a directive itself: it acts within some 50 us, and its own call takes most of
// a millisecond.
constexpr int64_t kClientActsWithinNs = 3 * base::kMillisecond;
constexpr int64_t kLookAtMostEveryNs = base::kMillisecond;
constexpr int64_t kLookEveryNs = 10 * base::kMillisecond;  // time between looks while the server acts for a client
constexpr size_t kMostSets = 64;  // of one client

// The directives in the client's slots for one device. The client could change them, but they concern only itself.
struct Wanted {
    bool stopped = false;
    // True if the client itself took its work off the device, or was about to. The server may have to put it back.
    bool interrupted = false;
    uint32_t timeslice_us = 0;
};

Wanted wanted_on(const ipc::Region& region, uint64_t device, uint32_t most_timeslice_us) {
    Wanted wanted;
    const uint32_t end = std::min(region.header.slot_end.load(std::memory_order_acquire), ipc::kMostQueues);
    for (uint32_t at = 0; at < end; ++at) {
        const ipc::QueueSlot& slot = region.slots[at];
        if (slot.state.load(std::memory_order_acquire) != static_cast<uint32_t>(ipc::SlotState::kUsed)) continue;
        if (slot.device.load(std::memory_order_relaxed) != device) continue;
        wanted.stopped |= slot.suspended.load() != 0 && slot.interrupt.load() != 0;
        wanted.interrupted |= ipc::may_be_off(slot);
        wanted.timeslice_us = std::max(wanted.timeslice_us, slot.device_timeslice_us.load());
    }
    wanted.timeslice_us = std::min(wanted.timeslice_us, most_timeslice_us);
    return wanted;
}

}  // namespace

void Interrupter::finish() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
        for (auto& [key, set] : sets_) set.going = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

bool Interrupter::take(const Client& client, const void* packet, size_t bytes, base::UniqueFd fd) {
    ipc::Handover handover;
    constexpr size_t kHead = offsetof(ipc::Handover, data);
    if (bytes < kHead || bytes > sizeof handover) return false;
    memcpy(&handover, packet, bytes);
    if (handover.magic != ipc::kMagic || handover.version != ipc::kVersion || handover.bytes != bytes - kHead)
        return false;
    const Key key{client.id(), handover.device, handover.key};
    Set fresh;
    const bool withdrawn = handover.bytes == 0;
    if (!withdrawn) {
        if (!client.user().may_hand_over(base::now_ns())) return true;
        fresh.handover.by = interrupts_of(handover.platform);
        fresh.handover.handed.assign(handover.data, handover.data + handover.bytes);
        if (fresh.handover.by == nullptr || !fresh.handover.by->is_sound(fresh.handover.handed)) return false;
        if (!fd) {
            if (client.user().may_log(base::now_ns()))
                XLOG_INFO("client %u handed over a descriptor that is not %s: it is not used", client.id(),
                          fresh.handover.by->descriptor);
            return true;
        }
    }
    const std::lock_guard lock(mutex_);
    if (!has_thread()) return true;
    if (withdrawn) {
        if (const auto known = sets_.find(key); known != sets_.end()) known->second.going = true;
    } else {
        fresh.handover.fd = std::make_shared<base::UniqueFd>(std::move(fd));
        fresh.account = client.user().handovers();
        keep(key, std::move(fresh));
    }
    changed_.notify_all();
    return true;
}

// Under mutex_.
void Interrupter::keep(const Key& key, Set fresh) {
    fresh.came = ++came_;
    const auto known = sets_.find(key);
    if (known != sets_.end()) {
        // If the client renews a set, the set has new channels of the same context. Once it is proved, the new
        // channels are stopped or slowed like the old ones.
        Set& set = known->second;
        retire(set);
        set.handover = std::move(fresh.handover);
        set.came = fresh.came;
        set.renewed = set.stopped;
        set.dirty = set.dirty || set.renewed;
        set.proved = set.going = false;
        return;
    }
    const auto is_of_client = [&](const auto& it) { return it.first.client == key.client; };
    if (std::count_if(sets_.begin(), sets_.end(), is_of_client) >= static_cast<std::ptrdiff_t>(kMostSets)) return;
    XLOG_DEBG("client %u handed over %s on device %llx", key.client,
              fresh.handover.by->describe(fresh.handover.handed).c_str(), static_cast<unsigned long long>(key.device));
    sets_.emplace(key, std::move(fresh));
}

// Starts the thread if needed. Call under mutex_. Returns false if the system has no threads left: handed-over sets are
// then of no use.
bool Interrupter::has_thread() {
    if (thread_.joinable()) return true;
    try {
        thread_ = std::thread([this] { run_or_end([this] { run(); }); });
    } catch (const std::system_error& error) {
        XLOG_WARN("no thread can be started for level 3 (%s): clients do without it", error.what());
        return false;
    }
    return true;
}

// Under mutex_.
void Interrupter::retire(Set& set) {
    if (set.handover.fd != nullptr) retired_.push_back(std::move(set.handover.fd));
}

void Interrupter::watch(uint32_t client, int32_t pid, ipc::Region* region) {
    const bool known =
        std::any_of(watched_.begin(), watched_.end(), [client](const auto& it) { return it.id == client; });
    if (!known) watched_.push_back({.id = client, .pid = pid, .region = region});
}

void Interrupter::unwatch(uint32_t client) {
    std::erase_if(watched_, [client](const auto& it) { return it.id == client; });
}

// Does not look in every pass, since a client has milliseconds to answer. Looks once more after the last pass.
int64_t Interrupter::look(int64_t now_ns) {
    beat_ns_.store(now_ns, std::memory_order_relaxed);
    if (watched_.empty()) return 0;
    if (now_ns - looked_ns_ < kLookAtMostEveryNs) return looked_ns_ + kLookAtMostEveryNs;
    looked_ns_ = now_ns;
    int64_t again_ns = 0;
    for (Watched& client : watched_) {
        const int64_t due_ns = look_at(client, now_ns);
        if (due_ns != 0 && (again_ns == 0 || due_ns < again_ns)) again_ns = due_ns;
    }
    return again_ns;
}

int64_t Interrupter::look_at(Watched& answer, int64_t now_ns) {
    ipc::Header& header = answer.region->header;
    const uint32_t carried_out = header.carried_out.load(std::memory_order_acquire);
    const bool answers = carried_out == header.directive.load(std::memory_order_acquire);
    if (answers || carried_out != answer.carried_out)
        answer.silent_since_ns = answers ? 0 : now_ns;
    else if (answer.silent_since_ns == 0)
        answer.silent_since_ns = now_ns;
    answer.carried_out = carried_out;
    if (!answer.silent) {
        if (answers && !answer.acting) return 0;
        if (!answers) {
            const int64_t due_ns = answer.silent_since_ns + kClientActsWithinNs;
            if (now_ns < due_ns) return due_ns;
            XLOG_DEBG("client %u (pid %d) does not answer: the server acts for it", answer.id, answer.pid);
            answer.silent = true;
            begin_acting(answer);
            follow(answer);
            return now_ns + kLookEveryNs;
        }
    }
    if (answers && !answer.together && hand_back(answer)) {  // hand back before doing anything more for the client
        answer.acting = answer.silent = false;
        header.outside_stopped.store(0);
        header.outside_changes.fetch_add(1);
        XLOG_DEBG("client %u (pid %d) answers again", answer.id, answer.pid);
        return 0;
    }
    follow(answer);
    return now_ns + kLookEveryNs;
}

void Interrupter::begin_acting(Watched& client) {
    if (std::exchange(client.acting, true)) return;
    ipc::Header& header = client.region->header;
    header.outside_stopped.store(1);
    header.outside_changes.fetch_add(1);
}

void Interrupter::follow_together(const std::vector<uint32_t>& clients) {
    for (const uint32_t id : clients) {
        const auto at = std::find_if(watched_.begin(), watched_.end(), [id](const auto& it) { return it.id == id; });
        if (at == watched_.end()) continue;
        at->together = at->region->header.together.load(std::memory_order_relaxed) != 0;
        begin_acting(*at);
        follow(*at);
    }
}

std::vector<uint64_t> Interrupter::devices_of(uint32_t client) {
    std::vector<uint64_t> devices;
    const std::lock_guard lock(mutex_);
    for (const auto& [key, set] : sets_)
        if (key.client == client && set.listed && !set.going && !set.refused && set.handover.by->stop_all != nullptr)
            devices.push_back(key.device);
    return devices;
}

std::vector<uint32_t> Interrupter::take_changed() {
    if (!any_changed_.exchange(false)) return {};
    const std::lock_guard lock(mutex_);
    return std::exchange(changed_clients_, {});
}

// Makes the directives in the client's slots the wanted state. A client that answers sets its timeslices itself.
void Interrupter::follow(const Watched& client) {
    bool any = false;
    const std::lock_guard lock(mutex_);
    for (auto& [key, set] : sets_) {
        if (key.client != client.id || set.going) continue;
        const Wanted wanted = wanted_on(*client.region, key.device, most_timeslice_us_);
        set.wanted = wanted.stopped && (client.silent || client.together);
        set.wanted_us = client.silent ? wanted.timeslice_us : set.done_us;
        set.together = !client.silent;
        set.taken = &client.region->header.taken_together;
        // Work that the client itself has stopped must run again, too, as long as the client says that it is stopped.
        // It was stopped before the client fell silent, or by a call of the client's that ended only after ours.
        set.left_stopped = client.silent && wanted.interrupted && !set.wanted;
        set.dirty = set.dirty || set.wanted != set.stopped || set.wanted_us != set.done_us || set.left_stopped;
        any = any || set.dirty;
    }
    if (any) changed_.notify_all();
}

// Hands the devices back to a client that answers again. Returns true once nothing is left of what was done for it
// except the right timeslices.
bool Interrupter::hand_back(const Watched& client) {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, set] : sets_) {
        if (key.client != client.id || set.going) continue;
        if (set.dirty || set.busy || set.stopped) return false;
        if (client.silent && set.done_us != kUnknownUs &&
            set.done_us != wanted_on(*client.region, key.device, most_timeslice_us_).timeslice_us)
            return false;
    }
    for (auto& [key, set] : sets_)
        if (key.client == client.id && client.silent) set.done_us = kUnknownUs;
    return true;
}

void Interrupter::release(uint32_t client) {
    {
        const std::lock_guard lock(mutex_);
        for (auto& [key, set] : sets_) {
            if (key.client != client) continue;
            // Marks all sets of queues of this client as stopped, whatever the client's slots say: the client may
            // have died in a call that it had not noted there.
            set.stopped = set.left_stopped = true;
            set.done_us = kUnknownUs;
            set.going = true;
            set.taken = nullptr;
        }
    }
    changed_.notify_all();
}

}  // namespace xsched::server
