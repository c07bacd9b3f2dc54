// The interrupter's thread: proves the sets that clients hand over, and makes the calls.
#include <algorithm>
#include <chrono>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "server/interrupts/interrupter.h"
#include "server/thread/latency.h"

namespace xsched::server {
namespace {

void complain(uint32_t client, const char* what, const InterruptOutcome& outcome) {
    XLOG_WARN("client %u, which does not answer: its channels could not be %s: %s (errno %d, status 0x%x)", client,
              what, outcome.sentence, outcome.error, outcome.status);
}

}  // namespace

// Makes the calls that several clients of one device need together. Returns false if there are none.
bool Interrupter::act_together(std::unique_lock<std::mutex>& lock) {
    const auto fits = [](const Set& set) {
        return set.dirty && set.together && set.proved && !set.refused && !set.going && !set.renewed &&
               !set.left_stopped && set.wanted_us == set.done_us && set.wanted != set.stopped;
    };
    const auto first = std::find_if(sets_.begin(), sets_.end(), [&](const auto& it) { return fits(it.second); });
    if (first == sets_.end()) return false;
    const bool stop = first->second.wanted;
    const Interrupts& by = *first->second.handover.by;
    struct Member {
        uint32_t client;
        Set* set;  // valid: only this thread erases sets
        Handover handover;
        bool refused = false;
    };
    std::vector<Member> members;
    for (auto& [key, set] : sets_) {
        if (!fits(set) || set.wanted != stop || set.handover.by != &by || key.device != first->first.device) continue;
        set.dirty = false;
        set.busy = true;
        set.stopped = stop;
        members.push_back({key.client, &set, set.handover});
    }
    lock.unlock();
    const int64_t began = base::now_ns();
    std::vector<Part> parts;
    for (const Member& member : members) parts.push_back({member.handover.fd->get(), &member.handover.handed});
    const InterruptOutcome outcome = (stop ? by.stop_all : by.start_all)(parts);
    for (Member& member : members) {
        if (outcome.good) break;
        const InterruptOutcome alone = (stop ? by.stop : by.start)(member.handover.fd->get(), member.handover.handed);
        member.refused = !alone.good;
        if (member.refused && member.set->account->refuse(base::now_ns()))
            complain(member.client, stop ? "disabled" : "enabled", alone);
    }
    XLOG_DEBG("%zu clients %s together in %lld us", members.size(), stop ? "taken off" : "put back",
              static_cast<long long>((base::now_ns() - began) / base::kMicrosecond));
    lock.lock();
    for (const Member& member : members) {
        member.set->busy = false;
        if (member.set->taken != nullptr) member.set->taken->store(stop ? 1 : 0, std::memory_order_release);
        if (member.refused) refuse(member.client);
    }
    return true;
}

// Gives the work back to the client, which does it itself from now on. Call under mutex_.
void Interrupter::refuse(uint32_t client) {
    for (auto& [key, set] : sets_)
        if (key.client == client) {
            set.refused = true;
            set.stopped = false;  // otherwise enabling would undo a disabling that the client made since
        }
    note_changed(client);
}

// Under mutex_.
void Interrupter::note_changed(uint32_t client) {
    changed_clients_.push_back(client);
    any_changed_.store(true);
}

// Does one action. Returns false if none is due. Proofs of handovers come last, so an action waits for one proof at
// most, however many there are.
bool Interrupter::act(std::unique_lock<std::mutex>& lock) {
    if (!retired_.empty()) {
        auto closing = std::exchange(retired_, {});
        lock.unlock();
        closing.clear();  // closing may free a process's channels in the driver, which takes time
        lock.lock();
        return true;
    }
    return act_together(lock) || act_alone(lock) || prove_next(lock);
}

// Acts for one client; users take turns by the time that their calls took lately. A set that is to be closed is not
// proved first: its channels must only run, and a call on the client's own descriptor affects no other client.
bool Interrupter::act_alone(std::unique_lock<std::mutex>& lock) {
    auto at = sets_.end();
    int64_t least_ns = 0;
    for (auto it = sets_.begin(); it != sets_.end(); ++it) {
        const Set& one = it->second;
        if (!one.going && !(one.dirty && one.proved)) continue;
        const int64_t served_ns = one.account->served_ns(base::now_ns());
        if (at != sets_.end() && served_ns >= least_ns) continue;
        at = it;
        least_ns = served_ns;
    }
    if (at == sets_.end()) return false;
    const Key key = at->first;
    Set& set = at->second;  // valid: only this thread erases sets
    const Handover handover = set.handover;  // another may come while it is in use
    const bool going = set.going;
    const bool stop = set.wanted && !going;
    const uint32_t us = going ? 0 : set.wanted_us;
    const bool disables = stop && (!set.stopped || set.renewed);
    // One enabling for each disabling in force, since the driver counts them. One too many does no harm.
    const int enables = (set.stopped && (!stop || set.renewed) ? 1 : 0) + (!stop && set.left_stopped ? 1 : 0);
    const bool slices = us != set.done_us;
    set.dirty = set.renewed = set.left_stopped = false;
    set.busy = true;
    set.stopped = stop;
    set.done_us = us;
    lock.unlock();
    const int64_t began = base::now_ns();
    InterruptOutcome outcome;
    for (int i = 0; i < enables && outcome.good; ++i) outcome = handover.by->start(handover.fd->get(), handover.handed);
    if (disables && outcome.good) outcome = handover.by->stop(handover.fd->get(), handover.handed);
    if (!outcome.good && !going && set.account->may_log(base::now_ns()))
        complain(key.client, stop ? "disabled" : "enabled", outcome);
    if (slices) handover.by->set_timeslices(handover.fd->get(), handover.handed, us, most_timeslice_us_);
    const int64_t took_ns = base::now_ns() - began;
    if (disables || enables != 0 || slices)
        XLOG_DEBG("client %u: %s %s here in %lld us", key.client, handover.by->describe(handover.handed).c_str(),
                  stop ? "disabled" : "enabled", static_cast<long long>(took_ns / base::kMicrosecond));
    set.account->serve(base::now_ns(), took_ns);
    lock.lock();
    set.busy = false;
    if (going && set.going) {
        retire(set);
        sets_.erase(key);
    }
    return true;
}

// Proves the oldest set that is not proved. Returns false if there is none.
bool Interrupter::prove_next(std::unique_lock<std::mutex>& lock) {
    auto at = sets_.end();
    for (auto it = sets_.begin(); it != sets_.end(); ++it)
        if (!it->second.proved && (at == sets_.end() || it->second.came < at->second.came)) at = it;
    if (at == sets_.end()) return false;
    const Key key = at->first;
    Set& set = at->second;  // valid: only this thread erases sets
    const Handover handover = set.handover;  // another may come while it is in use
    const uint64_t came = set.came;
    set.busy = true;
    lock.unlock();
    const InterruptOutcome outcome = handover.by->prove(handover.fd->get(), handover.handed, key.device);
    if (!outcome.good && set.account->refuse(base::now_ns()))
        XLOG_INFO(
            "client %u handed over channels that are not its descriptor's own: %s (errno %d, status 0x%x). They "
            "are not used; its user has handed over %u such sets",
            key.client, outcome.sentence, outcome.error, outcome.status, set.account->refused());
    lock.lock();
    set.busy = false;
    if (set.came != came) return true;  // a newer handover has replaced it
    if (outcome.good) {
        set.proved = true;
        if (std::exchange(set.listed, true)) return true;
    } else {
        retire(set);
        sets_.erase(key);
    }
    note_changed(key.client);
    return true;
}

// Resumes all work if the scheduling thread has given no sign of life for too long. Returns false if it lives.
bool Interrupter::watch_scheduler(int64_t now_ns) {
    const int64_t beat_ns = beat_ns_.load(std::memory_order_relaxed);
    if (beat_ns == 0 || now_ns - beat_ns < ipc::kHeartbeatLostNs) return false;
    bool any = false;
    for (auto& [key, set] : sets_) {
        if (!set.stopped) continue;
        set.wanted = false;
        set.dirty = any = true;
    }
    if (any) XLOG_WARN("the scheduler does not respond: work that it took off the device is put back");
    return any;
}

void Interrupter::run() {
    pthread_setname_np(pthread_self(), "xserver-rm");
    ask_for_low_latency(kSchedulingNice);
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        if (act(lock)) continue;
        if (stop_) return;
        if (std::any_of(sets_.begin(), sets_.end(), [](const auto& it) { return it.second.stopped; })) {
            changed_.wait_for(lock, std::chrono::milliseconds(100));
            watch_scheduler(base::now_ns());
        } else {
            changed_.wait(lock);
        }
    }
}

}  // namespace xsched::server
