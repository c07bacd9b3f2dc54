#include "sched/memory/memory_planner.h"

#include <algorithm>

namespace xsched::sched {
namespace {

// Returns how much of the user's memory on the device may be taken for others.
uint64_t gives(const MemoryUser& user) {
    if (user.kept_away) return user.on_card;
    const uint64_t stays = user.guarantee > user.fixed ? user.guarantee - user.fixed : 0;
    return user.on_card > stays ? user.on_card - stays : 0;
}

// Members of a gang make no room for each other: none could use it.
bool are_together(const MemoryUser& one, const MemoryUser& other) {
    return one.client == other.client || (one.gang != 0 && one.gang == other.gang);
}

}  // namespace

int64_t MemoryPlanner::turn_ns(uint64_t bytes) {
    const uint64_t swap_us = 2 * bytes / kSwapBytesPerUs;  // out and back
    return std::max(2 * kSettleNs, kSwapsPerTurn * static_cast<int64_t>(swap_us) * base::kMicrosecond);
}

void MemoryPlanner::meet(std::span<const MemoryUser> users, int64_t now_ns) {
    for (auto& [client, known] : known_) known.seen = false;
    for (const MemoryUser& user : users) {
        const auto [at, is_new] = known_.try_emplace(user.client);
        Known& known = at->second;
        known.seen = true;
        known.ready = false;
        if (is_new) known.away = user.on_host;  // an earlier scheduler has ordered that
        if (user.on_card == 0 || user.on_host > 0 || user.moving || known.away > 0)
            known.on_card_since_ns = 0;
        else if (known.on_card_since_ns == 0)
            known.on_card_since_ns = now_ns;
        note_return(user, known, now_ns);
        if (known.failed != user.failed) {
            known.failed = user.failed;
            known.away = user.on_host;  // what it could do
            known.retry_ns = now_ns + kSettleNs;
        }
        keep_away(user, known, now_ns);
        follow_gang(user, known, now_ns);
        // Memory moves in whole pieces, so more than was ordered may be on the host. All of that counts as ordered
        // away.
        if (known.away != 0 && !user.moving) known.away = std::max(known.away, user.on_host);
        if (user.wanted != 0 && known.asked != user.asked) {
            known.asked = user.asked;
            known.victims_chosen = false;
            known.asks_since_ns = now_ns;
        } else if (user.wanted == 0 && user.on_host == 0) {
            known.asks_since_ns = 0;
        } else if (known.asks_since_ns == 0) {
            known.asks_since_ns = now_ns;
        }
    }
    std::erase_if(known_, [](const auto& each) { return !each.second.seen; });
}

// Notes when memory has come back.
void MemoryPlanner::note_return(const MemoryUser& user, Known& known, int64_t now_ns) {
    if (known.was_on_host && user.on_host == 0) {
        known.back_ns = now_ns;
        known.room_since_ns = 0;
    }
    known.was_on_host = user.on_host != 0;
}

// Orders all of a program's memory that is not guaranteed to the host if another member of its gang has to do without
// its own: the gang cannot get on, and others may use the room. A member that has given some already waits anyway: to
// move the rest as well would double the swap.
void MemoryPlanner::follow_gang(const MemoryUser& user, Known& known, int64_t now_ns) {
    if (!user.gang_is_away || !user.evictable || user.kept_away || user.wanted != 0 || gives(user) == 0) return;
    if (user.on_host != 0) return;
    if (known.retry_ns > now_ns) return look_at(known.retry_ns);
    order_away(known, user.on_host + gives(user));
}

void MemoryPlanner::order_away(Known& known, uint64_t bytes) {
    if (known.away != bytes) known.given_up = false;
    known.away = bytes;
}

// Orders all memory of a program that is kept away to the host, and takes that order back.
void MemoryPlanner::keep_away(const MemoryUser& user, Known& known, int64_t now_ns) {
    if (user.kept_away && known.retry_ns <= now_ns) order_away(known, MemoryOrder::all());
    if (user.kept_away && known.retry_ns > now_ns) look_at(known.retry_ns);
    if (!user.kept_away && known.away == MemoryOrder::all()) known.away = user.on_host;
    if (user.kept_away && known.was_on_card && user.on_card == 0) left_ns_ = now_ns;
    known.was_on_card = user.kept_away && user.on_card > 0;
}

// Returns whether the program has carried out its order.
bool MemoryPlanner::has_obeyed(const MemoryUser& user) const {
    const uint64_t away = known_.at(user.client).away;
    return !user.moving && (away == MemoryOrder::all() ? user.on_card == 0 : user.on_host == away);
}

// Takes back an order that is not carried out in time. The program may be stopped, or may not mean what it says. It is
// asked again later, and each time much later.
void MemoryPlanner::lose_patience(const MemoryUser& user, int64_t now_ns) {
    Known& known = known_.at(user.client);
    if (has_obeyed(user)) {
        known.waited_for_since_ns = 0;
        known.given_up = false;
    } else if (known.waited_for_since_ns == 0) {
        known.waited_for_since_ns = now_ns;
    } else if (!known.given_up && now_ns - known.waited_for_since_ns >= patience_ns()) {
        known.away = user.on_host;
        known.retry_ns = now_ns + (patience_ns() << std::min(known.times_given_up++, 6U));
        known.waited_for_since_ns = 0;
        known.given_up = true;
    }
}

// Returns whether every order has been carried out, as far as it could be.
bool MemoryPlanner::settled(std::span<const MemoryUser> users) const {
    return std::all_of(users.begin(), users.end(),
                       [this](const MemoryUser& user) { return known_.at(user.client).given_up || has_obeyed(user); });
}

// Returns how much memory of the user is on its way back to the device, where it can be taken again.
uint64_t MemoryPlanner::coming_back(const MemoryUser& user) const {
    return known_.at(user.client).away == 0 ? user.on_host : 0;
}

// Returns whether programs that are no more urgent have as much memory to give, now or later, as the request lacks.
// If they have given memory for this request already, the answer stays yes.
bool MemoryPlanner::could_be_served(std::span<const MemoryUser> users, const MemoryUser& asker) const {
    const Known& known = known_.at(asker.client);
    if (known.victims_chosen && known.asked == asker.asked) return true;
    if (left_ns_ >= known.asks_since_ns) return true;
    uint64_t there = 0;
    for (const MemoryUser& user : users)
        if (!are_together(user, asker) && (user.kept_away || (user.evictable && user.priority <= asker.priority)))
            there += gives(user) + coming_back(user);
    return there >= asker.wanted;
}

// Returns whether `giver` must give memory to `asker` now. A less urgent program gives at once, an equal one when its
// turn is over; then `turn_ends_ns` says when. The length of the turn depends on how long it takes to swap the missing
// bytes, not all of the giver's.
bool MemoryPlanner::may_give(const MemoryUser& giver, const MemoryUser& asker, uint64_t missing, int64_t now_ns,
                             int64_t* turn_ends_ns) {
    if (!giver.evictable || are_together(giver, asker) || giver.kept_away || gives(giver) == 0) return false;
    const Known& known = known_.at(giver.client);
    if (giver.priority != asker.priority) return giver.priority < asker.priority && known.retry_ns <= now_ns;
    if (giver.on_host > 0) return known.retry_ns <= now_ns;  // its turn is over already
    if (known.on_card_since_ns == 0) return false;
    const int64_t turn = turn_ns(std::min(missing, giver.on_card));
    const int64_t ends_ns = std::max(known.on_card_since_ns + turn, known.retry_ns);
    if (ends_ns <= now_ns) return true;
    *turn_ends_ns = *turn_ends_ns == 0 ? ends_ns : std::min(*turn_ends_ns, ends_ns);
    return false;
}

// Orders memory off the device, of the least urgent program first, and of the largest among equals. Returns how much
// is still missing.
uint64_t MemoryPlanner::take(std::span<const MemoryUser> users, const MemoryUser& asker, uint64_t missing,
                             int64_t now_ns) {
    std::vector<const MemoryUser*> givers;
    int64_t turn_ends_ns = 0;
    uint64_t there = 0;
    for (const MemoryUser& user : users) {
        if (!may_give(user, asker, missing, now_ns, &turn_ends_ns)) continue;
        givers.push_back(&user);
        there += gives(user);
    }
    if (there < missing) {
        if (turn_ends_ns != 0) look_at(turn_ends_ns);
        return missing - there;
    }
    std::sort(givers.begin(), givers.end(), [](const MemoryUser* one, const MemoryUser* other) {
        return one->priority != other->priority ? one->priority < other->priority : gives(*one) > gives(*other);
    });
    for (const MemoryUser* giver : givers) {
        const uint64_t given = std::min(gives(*giver), missing);
        Known& known = known_.at(giver->client);
        if (giver->on_host == 0) known.taken_soon = was_back_for_less(known, turn_ns(given), now_ns);
        if (giver->on_host == 0) known.taken_ns = now_ns;
        order_away(known, giver->on_host + given);
        missing -= given;
        if (missing == 0) break;
    }
    return missing;
}

// Returns whether memory came back less than this time ago.
bool MemoryPlanner::was_back_for_less(const Known& known, int64_t ns, int64_t now_ns) {
    return known.back_ns != 0 && now_ns - known.back_ns < ns;
}

// Returns whether memory may come back to a device that has room for it. A program that takes memory in bursts frees it
// for moments only: memory that was taken again soon after it had come back waits until the room lasts, but for no
// longer than a turn. So swaps take a tenth of the time at most.
bool MemoryPlanner::lasts(const MemoryUser& user, Known& known, int64_t now_ns) {
    if (known.room_since_ns == 0) known.room_since_ns = now_ns;
    if (!known.taken_soon) return true;
    const int64_t at_ns = std::min(known.room_since_ns + kSettleNs, known.taken_ns + turn_ns(user.on_host));
    if (at_ns <= now_ns) return true;
    look_at(at_ns);
    return false;
}

MemoryOrder::Answer MemoryPlanner::serve(std::span<const MemoryUser> users, const MemoryUser& asker, int64_t now_ns) {
    Known& known = known_.at(asker.client);
    if (known.victims_chosen || left_ns_ >= known.asks_since_ns) {  // every order is carried out by now
        known.on_card_since_ns = now_ns;
        granted_until_ns_ = now_ns + kSettleNs;
        return MemoryOrder::Answer::kTryAgain;
    }
    int64_t later_ns = look_ns_;
    look_ns_ = 0;
    const bool enough = take(users, asker, asker.wanted, now_ns) == 0;
    const bool waits_for_turn = look_ns_ != 0;
    if (later_ns != 0) look_at(later_ns);
    if (enough) {
        known.victims_chosen = true;
        return MemoryOrder::Answer::kNone;
    }
    return waits_for_turn ? MemoryOrder::Answer::kNone : MemoryOrder::Answer::kNotEnough;
}

void MemoryPlanner::bring_back(std::span<const MemoryUser> users, const MemoryUser& user, int64_t now_ns) {
    Known& known = known_.at(user.client);
    if (known.retry_ns > now_ns) return look_at(known.retry_ns);
    if (granted_until_ns_ > now_ns) return look_at(granted_until_ns_);
    uint64_t needed = 0;
    for (const MemoryUser& each : users)
        if (are_together(each, user) && !each.kept_away) needed += each.on_host;
    if (user.free < needed) known.room_since_ns = 0;
    if (user.free < needed + kReserveBytes) {
        if (take(users, user, needed + kReserveBytes - user.free, now_ns) == 0 || user.free < needed) return;
        // If the missing memory does not come for a while, the program's memory comes back without the usual reserve:
        // a program that had nearly all of the device never fits with it.
        const int64_t without_reserve_ns = known.asks_since_ns + kSettleNs;
        if (now_ns < without_reserve_ns) return look_at(without_reserve_ns);
    }
    if (!lasts(user, known, now_ns)) return;
    for (const MemoryUser& each : users) {
        if (!are_together(each, user) || each.kept_away) continue;
        Known& member = known_.at(each.client);
        member.ready = true;
        if (!user.gang_waits) member.away = 0;
    }
}

std::vector<MemoryOrder> MemoryPlanner::plan(std::span<const MemoryUser> users, int64_t now_ns) {
    look_ns_ = 0;
    meet(users, now_ns);
    for (const MemoryUser& user : users) lose_patience(user, now_ns);
    std::vector<MemoryOrder> orders(users.size());
    std::vector<size_t> asking;
    for (size_t i = 0; i < users.size(); ++i)
        if (users[i].wanted != 0 || (users[i].on_host != 0 && !users[i].kept_away)) asking.push_back(i);
    std::stable_sort(asking.begin(), asking.end(), [&](size_t one, size_t other) {
        if (users[one].priority != users[other].priority) return users[one].priority > users[other].priority;
        return known_.at(users[one].client).asks_since_ns < known_.at(users[other].client).asks_since_ns;
    });
    // Requests are served one at a time, so that memory which one program gives is not promised to two.
    for (const size_t at : asking) {
        if (users[at].wanted != 0 && !could_be_served(users, users[at])) {
            orders[at].answer = MemoryOrder::Answer::kNotEnough;
            continue;
        }
        if (!settled(users)) continue;
        if (users[at].wanted == 0) {
            bring_back(users, users[at], now_ns);
            continue;
        }
        orders[at].answer = serve(users, users[at], now_ns);
        if (orders[at].answer == MemoryOrder::Answer::kTryAgain) break;
    }
    for (size_t i = 0; i < users.size(); ++i) orders[i].away = known_.at(users[i].client).away;
    return orders;
}

}  // namespace xsched::sched
