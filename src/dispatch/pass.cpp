// A pass of the dispatcher, part by part: read, decide, write.
#include <atomic>

#include "base/log.h"
#include "base/time.h"
#include "dispatch/dispatcher_state.h"

namespace xsched::dispatch {

namespace {

// At most once a millisecond, a pass also reads clients that did not ring: one of kMostSwept, and at most kMostSwept of
// them, to keep the pass short. If these have many queues, later passes read none, so that it is kFewQueues slots each
// on average.
constexpr size_t kMostSwept = 16;
// Each pass reads this many clients whose work runs, and as many that are due for a look, whether they rang or not. If
// more run side by side, no program waits for the end of a certain one.
constexpr size_t kMostFollowed = 8;
// Most rounds of decisions in one pass; the rest waits for a moment.
constexpr int kMostRounds = 4;

}  // namespace

int64_t DispatcherState::pass(int64_t now_ns, bool all) {
    now_ns = std::max(now_ns, last_ns);
    int64_t wake_at_ns = pass_once(now_ns, all);
    // A client that was told only now that it is watched may have become ready or idle before, without ringing. So the
    // clients concerned are read again at once.
    if (std::exchange(began_watching, false)) {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        wake_at_ns = pass_once(now_ns, all);
    }
    tell_thrown_out();
    // Chooses a few clients that did not ring, and reads them in another pass at once. So the clients that rang need
    // not wait for these.
    if (!all && sweep(now_ns)) wake_at_ns = now_ns;
    return wake_at_ns;
}

int64_t DispatcherState::pass_once(int64_t now_ns, bool all) {
    go_on_ns = 0;
    ++passes;
    scan(now_ns, all);
    settle_waits(now_ns);
    last_ns = now_ns;
    decide(now_ns, all);
    direct(now_ns, all);
    keep_devices_alive(now_ns);
    memory.pass(memory_users, now_ns);
    return next_wake(now_ns);
}

bool DispatcherState::sweep(int64_t now_ns) {
    if (now_ns - swept_ns < kLookSometimesNs || clients.empty()) return false;
    swept_ns = now_ns;
    may_sweep = std::min<int64_t>(may_sweep, 0) + kFewQueues;
    size_t count = std::min(clients.size() / kMostSwept + 1, kMostSwept);
    for (; count > 0 && may_sweep > 0; --count) {
        swept = (swept + 1) % clients.size();
        may_sweep -= clients[swept]->slots() + 1;
        to_scan.add(*clients[swept]);
    }
    return true;
}

void DispatcherState::scan(int64_t now_ns, bool all) {
    followed.some(kMostFollowed, [&](ClientSlots& client) {
        if (client.is_worth_a_look(now_ns)) to_scan.add(client);
    });
    for (size_t count = 0; count < kMostFollowed; ++count) {
        ClientSlots* client = looks.take(now_ns);
        if (client == nullptr) break;
        to_scan.add(*client);
    }
    // If a client of few queues rang, clients of many queues are left to the next pass, which begins at once. This
    // never happens twice in a row, so that they are read however often others ring.
    const bool small_one_rang = std::exchange(few_rang, false);
    const bool has_waited = std::exchange(has_put_off, false);
    const bool puts_off = !all && small_one_rang && !has_waited;
    to_scan.keep([&](ClientSlots& client) {
        if (puts_off && client.slots() > kFewQueues) {
            has_put_off = true;
            go_on_ns = now_ns;
            return true;
        }
        const bool complete = look(client, now_ns, all);
        attribute_delays(client);
        if (!complete) return true;
        if (client.shares_events()) shared_waits.seen(client);
        memory_users.set(client, client.uses_memory());
        if (client.takes_directives() || all)
            must_direct(client);
        else
            client.ring();  // it may have been asked for something
        look_later(client);
        return false;
    });
}

// Applies changed waits between processes. The next pass reads the clients concerned, at once.
void DispatcherState::settle_waits(int64_t now_ns) {
    std::erase_if(shared_waits.unsettled(), [&](uint64_t user) {
        const std::vector<ClientSlots*>& sharing = shared_waits.clients(user);
        const auto cost_ns = static_cast<int64_t>(shared_waits.uses(user) + sharing.size()) * kReadNs;
        if (!sharing.empty() && !may_settle(sharing.front()->view().limits.get(), cost_ns, now_ns)) return false;
        if (!shared_waits.settle(user, core.waits())) return true;
        lend(sharing);
        go_on_ns = now_ns;
        return true;
    });
}

void DispatcherState::lend(const std::vector<ClientSlots*>& sharing) {
    const ClientSlots* untold = nullptr;
    for (ClientSlots* client : sharing) {
        const int32_t priority = core.waits().lent_to(client->process());
        client->lend(priority);
        to_scan.add(*client);
        if (!core.waits().in_circle(client->process()) || !client->tells_circle()) continue;
        if (untold == nullptr || !core.waits().waits_for(untold->process(), client->process())) {
            untold = client;
            continue;
        }
        XLOG_INFO(
            "pid %d and pid %d wait for each other's shared events; while they do, both count as urgent as priority %d",
            untold->view().pid, client->view().pid, priority);
        untold = nullptr;
    }
}

void DispatcherState::decide(int64_t now_ns, bool all) {
    if (all) units.mark_all();
    for (DeviceTable* device : timed) {
        device->in_timed = device->plan.wake_at_ns > now_ns;
        if (!device->in_timed && device->plan.wake_at_ns != 0) units.mark(*device);
    }
    std::erase_if(timed, [](const DeviceTable* device) { return !device->in_timed; });
    // If a decision has replaced a faulty policy, all devices are decided again. Decisions on one device may also
    // change those on others: if a policy spans devices, or for the members of a gang.
    for (int round = 0; round < kMostRounds; ++round) {
        if (std::exchange(policy_number, core.policy_number()) != core.policy_number()) units.mark_all();
        deciding.swap(units.dirty());
        for (DeviceTable* device : deciding) {
            if (all || may_decide(*device, now_ns))
                decide_device(*device, now_ns, all);
            else
                postponed.push_back(device);
        }
        deciding.clear();
        mark_affected();
        if (policy_number == core.policy_number() && units.dirty().empty()) break;
    }
    if (!units.dirty().empty()) go_on_ns = base::earlier(go_on_ns, now_ns + kLookEveryNs);
    units.dirty().insert(units.dirty().end(), postponed.begin(), postponed.end());
    postponed.clear();
}

void DispatcherState::mark_affected() {
    for (const uint64_t id : core.affected())
        if (const auto found = units.devices().find(id); found != units.devices().end()) units.look_at(*found->second);
    core.affected().clear();
}

void DispatcherState::decide_device(DeviceTable& device, int64_t now_ns, bool all) {
    device.in_dirty = false;
    if (device.units.empty()) {
        core.forget(device.device);
        std::erase(timed, &device);
        units.erase(device.device);
        return;
    }
    device.plan = core.decide({.device = device.device,
                               .units = device.units,
                               .composition = device.composition,
                               .all = device.all_changed,
                               .changed = device.changed,
                               .look_at_all = std::exchange(device.look_at_all, false)},
                              now_ns);
    if (device.plan.wake_at_ns != 0 && !std::exchange(device.in_timed, true)) timed.push_back(&device);
    close_gates(device, now_ns);
    // First come clients with work: other programs wait for them to make room, or they wait to go on.
    if (device.plan.all_changed || all) {
        for (const bool ready : {true, false})
            for (size_t at = 0; at < device.owners.size(); ++at)
                if (device.units[at].ready == ready) must_direct(*device.owners[at].client);
    } else {
        for (const bool ready : {true, false})
            for (const uint32_t at : device.plan.changed)
                if (device.units[at].ready == ready) must_direct(*device.owners[at].client);
    }
    if (device.all_changed)
        std::fill(device.is_changed.begin(), device.is_changed.end(), uint8_t{0});
    else
        for (const uint32_t at : device.changed) device.is_changed[at] = 0;
    device.changed.clear();
    device.all_changed = false;
}

// Closes the gates of units to suspend before the rest of the pass is written, because a rival waits for that. Users of
// few units come first, so that one user's crowd delays no other user.
void DispatcherState::close_gates(const DeviceTable& device, int64_t now_ns) {
    constexpr size_t kAhead = 4;
    const std::span<const uint32_t> changed = device.plan.changed;
    const bool crowded = changed.size() > kFewQueues;
    for (const bool many : {false, true}) {
        if (many && !crowded) break;
        for (size_t i = 0; i < changed.size(); ++i) {
            if (i + kAhead < changed.size()) __builtin_prefetch(device.owners[changed[i + kAhead]].client);
            const uint32_t at = changed[i];
            if (!device.plan.verdicts[at].suspend || !device.units[at].ready) continue;
            const Owner& owner = device.owners[at];
            if (crowded && (device.units_of(owner.user) > kFewQueues) != many) continue;
            owner.client->close_gates(owner.own, now_ns);
        }
    }
}

void DispatcherState::direct(int64_t now_ns, bool all) {
    for (const bool many : {false, true}) direct_those(now_ns, all, many);
}

// Schedules the client's next look, unless it is being read in parts and so read anyway.
void DispatcherState::look_later(ClientSlots& client) {
    looks.set(client, client.is_being_read() ? 0 : client.look_ns(looks.size()));
}

void DispatcherState::direct_those(int64_t now_ns, bool all, bool many) {
    to_direct.keep([&](ClientSlots& client) {
        if (!all && (client.queues().size() > kFewQueues) != many) return true;
        const uint32_t slots = all ? UINT32_MAX : slots_to_write(client, now_ns);
        if (slots == 0) return true;
        const bool complete = write(client, slots, now_ns);
        if (!complete) go_on_ns = now_ns;
        directed(client);
        return !complete;
    });
}

// Updates the dispatcher's lists after the client's directives were written: delays, followed and suspended clients,
// and the client's next look. Then rings the client.
void DispatcherState::directed(ClientSlots& client) {
    attribute_delays(client);
    tell_others(client);
    followed.set(client, client.is_followed());
    suspended.set(client, client.suspends());
    look_later(client);
    if (client.is_leaving()) leaving.add(client);
    if (client.began_watching()) {
        began_watching = true;
        to_scan.add(client);
    }
    client.ring();
}

// Adds each delay of the victim to the client that caused it. A client that makes room for itself delays no other.
void DispatcherState::attribute_delays(ClientSlots& victim) {
    for (const Delay& delay : victim.delays().unattributed()) {
        ClientSlots* cause = find(delay.client);
        if (cause != nullptr && cause != &victim) cause->add_caused_delay(delay.ns);
    }
    victim.delays().unattributed().clear();
}

// Tells decisions about this client to the clients for whose sake they were made.
void DispatcherState::tell_others(ClientSlots& victim) {
    for (const ClientSlots::ForOther& decided : victim.for_others()) {
        ClientSlots* cause = find(decided.client);
        if (cause == nullptr || cause == &victim) continue;
        cause->take_decision(decided);
    }
    victim.for_others().clear();
}

void DispatcherState::keep_devices_alive(int64_t now_ns) {
    leaving.keep([&](ClientSlots& victim) {
        const RoomFor room = victim.makes_room(now_ns);
        if (ClientSlots* urgent = find(room.client)) urgent->keep_alive(room, now_ns);
        return victim.is_leaving();
    });
}

// Gives each suspended client a heartbeat every kBeatEveryNs, or when a pass comes, a few per pass.
void DispatcherState::beat(int64_t now_ns) {
    const auto size = static_cast<int64_t>(suspended.size());
    if (size == 0) {
        beat_ns = now_ns;
        return;
    }
    beat_ns = std::max(beat_ns, now_ns - ipc::kBeatEveryNs);
    const int64_t due = (now_ns - beat_ns) * size / ipc::kBeatEveryNs;
    const int64_t count = std::min<int64_t>(due, kFewQueues);
    suspended.some(static_cast<size_t>(count), [&](ClientSlots& client) {
        client.beat(now_ns);
        if (now_ns - client.delays().settled_ns() < kLookSeldomNs) return;
        client.settle_delays(now_ns);
        client.follow_holds(now_ns);
        attribute_delays(client);
    });
    beat_ns += count * ipc::kBeatEveryNs / size;
    if (count < due) go_on_ns = now_ns;
}

int64_t DispatcherState::next_wake(int64_t now_ns) {
    beat(now_ns);
    int64_t wake_at_ns = go_on_ns;
    if (memory.look_ns() != 0) wake_at_ns = base::earlier(wake_at_ns, memory.look_ns());
    for (const DeviceTable* device : timed) wake_at_ns = base::earlier(wake_at_ns, device->plan.wake_at_ns);
    // Clients that are due and found no room in this pass wait for a moment.
    if (const int64_t look_ns = looks.earliest_ns(); look_ns != 0)
        wake_at_ns = base::earlier(wake_at_ns, look_ns > now_ns ? look_ns : now_ns + kLookEveryNs);
    return suspended.empty() ? wake_at_ns : base::earlier(wake_at_ns, beat_ns + ipc::kHeartbeatNs);
}

void DispatcherState::tell_thrown_out() {
    const char* name = core.thrown_out();
    if (name != nullptr && !told_thrown_out) {
        XLOG_WARN(
            "policy %s %s and was replaced by HPF; choose another with xcli policy, and report this to its author",
            name, core.why_thrown_out());
    }
    told_thrown_out = name != nullptr;
}

}  // namespace xsched::dispatch
