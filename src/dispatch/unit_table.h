// Groups the queues seen in one pass into units: queues of one client with the same effective priority on one device
// (those a person suspended apart). A unit keeps its id from pass to pass as long as it is seen in each.
// Not thread-safe. No allocation once it has seen as many units.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dispatch/slot_reader.h"
#include "sched/core.h"

namespace xsched::dispatch {

class UnitTable {
public:
    void begin_pass();
    // Before the queues of a client are added. The rest: as UnitState has it.
    void begin_client(uint32_t client_id, int32_t pid, int64_t stuck_since_ns = 0, bool lingers = false,
                      uint32_t waits = 0);
    // Returns the position of the unit that the queue belongs to.
    uint32_t add(const QueueNumbers& numbers, bool held);

    std::span<const sched::UnitState> units() const { return units_; }
    // nullptr: no such unit in this pass.
    const sched::UnitState* find(uint64_t id) const;
    // Whose unit that was in the pass before; 0: there was none.
    uint32_t previous_client_of(uint64_t id) const;

private:
    struct Key {
        uint64_t id = 0;
        uint32_t client_id = 0;
        int32_t priority = 0;
        uint64_t device = 0;
        bool held = false;

        bool same_unit(const Key& other) const {
            return client_id == other.client_id && priority == other.priority && device == other.device &&
                   held == other.held;
        }
    };
    uint64_t id_of(const Key& key) const;

    std::vector<sched::UnitState> units_;
    std::vector<Key> keys_;      // in the order of units_
    std::vector<Key> previous_;  // of the pass before
    size_t client_begin_ = 0;    // first unit of the client at hand
    uint32_t client_id_ = 0;
    int32_t pid_ = 0;
    int64_t stuck_since_ns_ = 0;
    bool lingers_ = false;
    uint32_t waits_ = 0;
    uint64_t last_id_ = 0;
};

}  // namespace xsched::dispatch
