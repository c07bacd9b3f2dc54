#include "sched/order/gangs.h"

#include <algorithm>
#include <utility>

namespace xsched::sched {

namespace {

constexpr int64_t kAskAgainNs = 5'000'000;  // judgement

GangKey key_of(const UnitState& state) { return {.user = state.user, .name = state.unit.gang}; }

// Returns the gang's members on the device of this pass.
std::span<const GangMember> members_of(const Pass& pass, const GangHere& here) {
    return std::span(pass.device.gang_members).subspan(here.begin, here.end - here.begin);
}

bool is_member(const Pass& pass, const GangHere& here, uint32_t at) { return pass.device.units[at].gang == here.gang; }

}  // namespace

void Gangs::meet(Pass& pass) {
    DeviceHistory& device = pass.device;
    bool changed = false;
    const auto see = [&](uint32_t at) {
        const int64_t name = pass.given.units[at].unit.gang;
        changed |= std::exchange(device.units[at].gang_name, name) != name;
    };
    if (pass.all)
        for (uint32_t at = 0; at < device.units.size(); ++at) see(at);
    else
        for (const uint32_t at : pass.given.changed) see(at);
    if (pass.anew && !(device.gangs.empty() && !changed)) changed = true;  // positions are others
    if (changed) collect(pass);
}

void Gangs::count(Pass& pass) {
    DeviceHistory& device = pass.device;
    for (const GangHere& here : device.gangs) {
        GangPlace& place = *here.gang->find(pass.given.device);
        uint32_t others = 0;
        for (uint32_t i = 0; i < device.eligible.size(); ++i)
            others += device.asked[i].wants && !is_member(pass, here, device.eligible[i]) ? 1 : 0;
        place.crowd.observe(others, pass.now_ns);
        for (const GangMember& member : members_of(pass, here)) {
            const UnitState& state = pass.given.units[member.at];
            UnitHistory& known = device.units[member.at];
            const int64_t recent_until_ns = state.idle_since_ns + kMostGuessNs;  // it may need the device again at once
            const bool recent = !state.ready && state.idle_since_ns > 0 && pass.now_ns < recent_until_ns;
            known.counts = recent || (known.place != kNowhere ? device.asked[known.place].wants : state.ready);
            if (recent) pass.wake(recent_until_ns);
        }
    }
}

// Finds which units of the device belong to which gang.
void Gangs::find_members(Pass& pass) {
    DeviceHistory& device = pass.device;
    std::vector<GangMember>& members = device.gang_members;
    members.clear();
    for (uint32_t at = 0; at < device.units.size(); ++at) {
        device.units[at].gang = nullptr;
        if (pass.given.units[at].unit.gang != 0) members.push_back({key_of(pass.given.units[at]), at});
    }
    std::sort(members.begin(), members.end());
    for (uint32_t i = 0; i < members.size(); ++i) {
        if (i == 0 || members[i].key != members[i - 1].key) {
            Gang* gang = join(members[i].key);
            if (gang != nullptr && gang->find(pass.given.device) == nullptr && gang->places.size() >= kMostOfUser)
                gang = nullptr;
            device.gangs.push_back({.gang = gang, .begin = i});
        }
        device.gangs.back().end = i + 1;
        device.units[members[i].at].gang = device.gangs.back().gang;
    }
    std::erase_if(device.gangs, [](const GangHere& here) { return here.gang == nullptr; });
}

// Finds the gang's entry for this device; makes one if the device is new to the gang.
void Gangs::take_place(const Pass& pass, const GangHere& here) {
    if (here.gang->find(pass.given.device) == nullptr) {
        const uint64_t lead = here.gang->lead_device();
        auto& places = here.gang->places;
        const auto behind = std::find_if(places.begin(), places.end(),
                                         [&](const GangPlace& place) { return place.device > pass.given.device; });
        places.insert(behind, {.device = pass.given.device});
        here.gang->follow_lead(lead);
    }
    GangPlace& place = *here.gang->find(pass.given.device);
    place.members = here.end - here.begin;
    place.strangers = pass.device.units.size() > place.members;
    place.priority = INT32_MIN;
    for (const GangMember& member : members_of(pass, here))
        place.priority = std::max(place.priority, pass.given.units[member.at].unit.priority);
}

// Collects the members of each gang again, after units came or went.
void Gangs::collect(Pass& pass) {
    DeviceHistory& device = pass.device;
    std::vector<GangHere> before;
    before.swap(device.gangs);
    find_members(pass);
    for (const GangHere& here : device.gangs) take_place(pass, here);
    for (const GangHere& old : before) {
        const bool stays = std::any_of(device.gangs.begin(), device.gangs.end(),
                                       [&](const GangHere& here) { return here.gang == old.gang; });
        if (!stays) leave(*old.gang, pass.given.device);
    }
    for (const GangHere& here : device.gangs) settle(*here.gang, pass.now_ns);
}

// Returns the gang, or a new one. Returns null if its user has as many gangs as allowed.
Gang* Gangs::join(const GangKey& key) {
    std::unique_ptr<Gang>* found = nullptr;
    if (const auto known = gangs_.find(key); known != gangs_.end()) return known->second.get();
    const auto first = gangs_.lower_bound({.user = key.user, .name = 0});
    uint32_t count = 0;
    for (auto at = first; at != gangs_.end() && at->first.user == key.user; ++at) ++count;
    if (count >= kMostOfUser) return nullptr;
    found = &gangs_[key];
    *found = std::make_unique<Gang>(Gang{.key = key});
    return found->get();
}

void Gangs::leave(Gang& gang, uint64_t device) {
    const uint64_t lead = gang.lead_device();
    std::erase_if(gang.places, [device](const GangPlace& place) { return place.device == device; });
    gang.follow_lead(lead);
    for (const GangPlace& place : gang.places) affected_.push_back(place.device);
    if (gang.places.empty()) gangs_.erase(gang.key);
}

void Gangs::forget(uint64_t device, std::span<const GangHere> there) {
    for (const GangHere& here : there) leave(*here.gang, device);
}

// Collects the devices that would now be decided differently.
void Gangs::settle(Gang& gang, int64_t now_ns) {
    gang.choose_lead(now_ns);
    for (const GangPlace& place : gang.places)
        if (gang.order_for(place, now_ns) != place.given) affected_.push_back(place.device);
}

void Gangs::begin_asking(Pass& pass) {
    DeviceHistory& device = pass.device;
    for (GangHere& here : device.gangs) {
        GangPlace& place = *here.gang->find(pass.given.device);
        const bool several = here.gang->has_several();
        here.order = several ? here.gang->order_for(place, pass.now_ns) : GangOrder{.priority = place.priority};
        place.given = here.gang->order_for(place, pass.now_ns);
        for (const GangMember& member : members_of(pass, here)) {
            const uint32_t at = device.units[member.at].place;
            if (at == kNowhere) continue;
            device.units[member.at].wanted = device.asked[at].wants;
            device.asked[at].wants = device.asked[at].wants && !here.order.suspended;
            device.asked[at].priority = here.order.priority;
        }
        if (here.order.turn_until_ns != 0) pass.wake(here.order.turn_until_ns);
    }
}

void Gangs::end_asking(Pass& pass) {
    DeviceHistory& device = pass.device;
    for (const GangHere& here : device.gangs)
        for (const GangMember& member : members_of(pass, here))
            if (const uint32_t at = device.units[member.at].place; at != kNowhere)
                device.asked[at].wants = device.units[member.at].wanted;
}

void Gangs::mark_preemptible(Pass& pass) const {
    DeviceHistory& device = pass.device;
    for (const GangHere& here : device.gangs) {
        const auto& places = here.gang->places;
        const bool strangers =
            std::any_of(places.begin(), places.end(), [](const GangPlace& place) { return place.strangers; });
        if (!here.gang->has_several() || !strangers) continue;
        std::fill(device.preemptible.begin(), device.preemptible.end(), uint8_t{1});
        return;
    }
}

void Gangs::rank_as_one(Pass& pass) {
    DeviceHistory& device = pass.device;
    for (const GangHere& here : device.gangs) {
        if (!here.gang->has_several()) continue;
        int32_t most = INT32_MIN;
        for (const GangMember& member : members_of(pass, here))
            if (const uint32_t place = device.units[member.at].place; place != kNowhere)
                most = std::max(most, device.ranked[place]);
        for (const GangMember& member : members_of(pass, here))
            if (const uint32_t place = device.units[member.at].place; place != kNowhere) device.ranked[place] = most;
    }
}

void Gangs::answer(Pass& pass) {
    DeviceHistory& device = pass.device;
    if (device.gangs.empty()) return;
    std::sort(device.gangs.begin(), device.gangs.end(), [&pass](const GangHere& a, const GangHere& b) {
        return precedence(*a.gang, pass.now_ns) < precedence(*b.gang, pass.now_ns);
    });
    if (device.gangs.size() > 1) pass.wake((pass.now_ns / kLookAtAllNs + 1) * kLookAtAllNs);
    const Gang* taken = nullptr;  // the gang that took the device, of those that go first
    for (GangHere& here : device.gangs) {
        GangPlace& place = *here.gang->find(pass.given.device);
        if (here.gang->has_several()) {
            vote(pass, here);
            const bool kept = keeps_off(pass, here);
            // On the gang's lead device the members' vote decides whether the whole gang runs.
            if (here.gang->lead_device() == place.device && place.vote != Vote::kRuns) here.order.runs = false;
            // A gang loses its vote to the gang that took this device, unless both have the same lead device: there the
            // lead's vote decides which of them runs.
            const bool lost = kept && taken != nullptr && taken->lead_device() != here.gang->lead_device();
            if (lost && place.vote != Vote::kStopped) place.vote = Vote::kNo;
            if (here.order.suspended || place.vote == Vote::kNo || place.vote == Vote::kStopped) {
                keep_off(pass, here);
                if (here.order.suspended) lend(pass, here);
                // If a member has work, the gang is asked about again after kAskAgainNs. The policy was told that the
                // members want nothing, so it does not say when they may run again.
                if (is_busy(pass, here)) pass.wake(pass.now_ns + kAskAgainNs);
            } else if (here.order.runs) {
                if (kept && taken == nullptr) let_run(pass, here);
                if (taken == nullptr && is_busy(pass, here)) taken = here.gang;
            }
        }
        tell_members(pass, here, place);
        settle(*here.gang, pass.now_ns);
    }
}

// Keeps a gang suspended while one of its members must make room, or may have to at once.
bool Gangs::keeps_off(const Pass& pass, const GangHere& here) {
    const auto members = members_of(pass, here);
    return std::any_of(members.begin(), members.end(), [&](const GangMember& member) {
        const UnitHistory& known = pass.device.units[member.at];
        return known.place != kNowhere && known.counts && !pass.device.answers[known.place].run;
    });
}

bool Gangs::is_busy(const Pass& pass, const GangHere& here) {
    const auto members = members_of(pass, here);
    return std::any_of(members.begin(), members.end(),
                       [&](const GangMember& member) { return pass.device.units[member.at].wanted; });
}

// Derives the members' votes on this device from the policy's answers.
void Gangs::vote(Pass& pass, GangHere& here) const {
    Vote all = Vote::kAbsent;
    for (const GangMember& member : members_of(pass, here)) {
        const Vote one = vote_of(pass, member.at);
        // The gang's vote on this device: if one member runs, the others may run beside it, even if it is not their
        // turn. A member that may not run at all keeps all of them off.
        if (all == Vote::kRuns && one == Vote::kNotItsTurn) continue;
        if (all == Vote::kNotItsTurn && one == Vote::kRuns) all = one;
        all = std::max(all, one);
    }
    here.gang->find(pass.given.device)->vote = all;
}

Vote Gangs::vote_of(const Pass& pass, uint32_t at) const {
    const DeviceHistory& device = pass.device;
    const UnitHistory& known = device.units[at];
    if (known.place == kNowhere) return Vote::kStopped;
    const policy::Choice& answer = device.answers[known.place];
    if (!known.counts) return Vote::kAbsent;
    if (answer.run) return Vote::kRuns;
    if (answer.why == policy::Why::kLimited) return Vote::kStopped;
    const uint32_t by = device.find(answer.by);
    if (by == kNowhere) return answer.by != 0 ? Vote::kNo : Vote::kNotItsTurn;
    if (device.units[by].gang == known.gang) return Vote::kNotItsTurn;
    return device.urgency[by] > device.urgency[at] ? Vote::kNo : Vote::kNotItsTurn;
}

// Lets the members run here because it is the gang's turn elsewhere. The units whose turn it is here make room, unless
// they are more urgent.
void Gangs::let_run(Pass& pass, const GangHere& here) {
    DeviceHistory& device = pass.device;
    if (!is_busy(pass, here)) return;
    const uint32_t first = members_of(pass, here)[0].at;
    for (const GangMember& member : members_of(pass, here))
        if (const uint32_t place = device.units[member.at].place; place != kNowhere) device.answers[place] = {};
    for (uint32_t place = 0; place < device.answers.size(); ++place) {
        const uint32_t at = device.eligible[place];
        if (is_member(pass, here, at) || !device.answers[place].run) continue;
        if (device.urgency[at] > device.urgency[first]) continue;
        device.answers[place] = {.run = false, .by = pass.given.units[first].unit.id};
    }
}

void Gangs::keep_off(Pass& pass, const GangHere& here) {
    DeviceHistory& device = pass.device;
    for (const GangMember& member : members_of(pass, here))
        if (const uint32_t place = device.units[member.at].place; place != kNowhere && device.answers[place].run)
            device.answers[place] = {.run = false};
}

// Gives the device to other units if the policy kept it for a gang that cannot run now.
void Gangs::lend(Pass& pass, const GangHere& here) {
    DeviceHistory& device = pass.device;
    for (uint32_t place = 0; place < device.answers.size(); ++place)
        if (device.asked[place].wants && device.answers[place].run) return;
    for (uint32_t place = 0; place < device.answers.size(); ++place) {
        policy::Choice& answer = device.answers[place];
        const Gang* gang = device.units[device.eligible[place]].gang;
        if (!device.asked[place].wants || answer.why != policy::Why::kTurn || (gang != nullptr && gang->has_several()))
            continue;
        const uint32_t by = device.find(answer.by);
        if (by != kNowhere && is_member(pass, here, by)) answer = {};
    }
}

void Gangs::tell_members(Pass& pass, const GangHere& here, const GangPlace& place) {
    const bool stopped = here.order.by_will || (here.gang->has_several() && place.vote == Vote::kStopped);
    for (const GangMember& member : members_of(pass, here)) {
        UnitHistory& known = pass.device.units[member.at];
        InGang now = InGang::kAsAnswered;
        if (here.order.suspended || stopped) now = stopped ? InGang::kStopped : InGang::kSuspended;
        if (here.order.turn_until_ns != 0 && !stopped) now = InGang::kTurn;
        known.dirty |= std::exchange(known.in_gang, now) != now;
    }
}

void Gangs::give_turn(Pass& pass, uint32_t at, int64_t until_ns) {
    Gang* gang = pass.device.units[at].gang;
    if (gang == nullptr || !gang->has_several() || until_ns <= gang->turn_until_ns) return;
    gang->turn_until_ns = until_ns;
    settle(*gang, pass.now_ns);
}

}  // namespace xsched::sched
