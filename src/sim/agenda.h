// The virtual clock: which actor wakes next, and when. Each actor has at most one time at which it wakes; the clock
// jumps from one to the next. Of two actors with the same time the one added first wakes first, so that a run repeats
// exactly. Not thread-safe. Allocates only when actors are added.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/no_copies.h"

namespace xsched::sim {

class Agenda;

// A small state machine. Its address must not change once it was added.
class Actor : base::NoCopies {
public:
    Actor() = default;
    virtual ~Actor() = default;
    virtual void wake(int64_t now_ns) = 0;

private:
    friend class Agenda;
    static constexpr uint32_t kOut = UINT32_MAX;
    uint32_t number_ = 0;
    uint32_t place_ = kOut;  // in the heap
};

class Agenda {
public:
    void add(Actor& actor) {
        actor.number_ = ++actors_;
        heap_.reserve(actors_);
    }
    // Wakes the actor at this time, instead of the time set before.
    void set(Actor& actor, int64_t at_ns) {
        if (actor.place_ == Actor::kOut) {
            heap_.push_back({at_ns, &actor});
            return up(static_cast<uint32_t>(heap_.size() - 1), {at_ns, &actor});
        }
        const uint32_t place = actor.place_;
        if (heap_[place].at_ns == at_ns) return;
        const bool earlier = at_ns < heap_[place].at_ns;
        earlier ? up(place, {at_ns, &actor}) : down(place, {at_ns, &actor});
    }
    void set_earlier(Actor& actor, int64_t at_ns) {
        if (actor.place_ == Actor::kOut || at_ns < heap_[actor.place_].at_ns) set(actor, at_ns);
    }
    void clear(Actor& actor) {
        if (actor.place_ == Actor::kOut) return;
        const uint32_t place = std::exchange(actor.place_, Actor::kOut);
        const Entry last = heap_.back();
        heap_.pop_back();
        if (last.actor == &actor) return;
        place > 0 && last.before(heap_[(place - 1) / 2]) ? up(place, last) : down(place, last);
    }
    bool empty() const { return heap_.empty(); }
    int64_t next_ns() const { return heap_.front().at_ns; }
    // Takes the next actor off the agenda.
    Actor& take() {
        Actor& actor = *heap_.front().actor;
        actor.place_ = Actor::kOut;
        const Entry last = heap_.back();
        heap_.pop_back();
        if (!heap_.empty()) down(0, last);
        return actor;
    }

private:
    struct Entry {
        int64_t at_ns;
        Actor* actor;
        bool before(const Entry& other) const {
            return at_ns != other.at_ns ? at_ns < other.at_ns : actor->number_ < other.actor->number_;
        }
    };
    void put(uint32_t place, const Entry& entry) {
        heap_[place] = entry;
        entry.actor->place_ = place;
    }
    void up(uint32_t place, const Entry entry) {
        for (; place > 0 && entry.before(heap_[(place - 1) / 2]); place = (place - 1) / 2)
            put(place, heap_[(place - 1) / 2]);
        put(place, entry);
    }
    void down(uint32_t place, const Entry entry) {
        for (;;) {
            uint32_t child = 2 * place + 1;
            if (child >= heap_.size()) break;
            if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
            if (!heap_[child].before(entry)) break;
            put(place, heap_[child]);
            place = child;
        }
        put(place, entry);
    }

    std::vector<Entry> heap_;
    uint32_t actors_ = 0;
};

}  // namespace xsched::sim
