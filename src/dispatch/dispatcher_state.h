// The dispatcher's state, and the parts of a pass (one round of reading clients, deciding and writing directives).
// Dispatcher's thread alone.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dispatch/client_list.h"
#include "dispatch/client_slots.h"
#include "dispatch/look_times.h"
#include "dispatch/memory_desk.h"
#include "dispatch/shared_waits.h"
#include "dispatch/unit_table.h"
#include "sched/core/core.h"

namespace xsched::dispatch {

inline uint32_t& place_of_look(ClientSlots& client) { return client.listed.look; }

struct DispatcherState {
    explicit DispatcherState(sched::Core scheduler) : core(std::move(scheduler)) {}

    sched::Core core;
    UnitTable units;
    SharedWaits shared_waits;
    std::vector<std::unique_ptr<ClientSlots>> clients;
    std::unordered_map<uint32_t, ClientSlots*> by_id;
    ClientList to_scan{&ClientSlots::Listed::scan};
    ClientList to_direct{&ClientSlots::Listed::direct};
    ClientList followed{&ClientSlots::Listed::followed};
    ClientList suspended{&ClientSlots::Listed::suspended};
    ClientList leaving{&ClientSlots::Listed::leaving};
    ClientList memory_users{&ClientSlots::Listed::memory};
    MemoryDesk memory;
    LookTimes<ClientSlots, place_of_look> looks;
    std::vector<DeviceTable*> timed;  // devices that must be decided again at a certain time
    std::vector<DeviceTable*> deciding;
    std::vector<DeviceTable*> postponed;  // devices among these that were left to the next pass
    size_t swept = 0;
    int64_t swept_ns = 0;
    int64_t may_sweep = 0;  // slots that may be read now; below 0: read in advance
    int64_t beat_ns = 0;  // until then every suspended client has a fresh heartbeat
    int64_t last_ns = 0;
    int64_t go_on_ns = 0;  // when to continue with what this pass left
    uint64_t policy_number = 0;
    bool few_rang = false;  // a client with few queues rang, for the next pass
    bool has_put_off = false;  // the last pass left clients of many queues to the next one
    bool began_watching = false;
    bool told_thrown_out = false;
    uint64_t passes = 0;
    int64_t (*clock)() = nullptr;  // see measure_with
    bool several_users = false;  // clients of several users are here, which may disturb each other
    std::unordered_map<const UserLimits*, int> clients_of;
    void count_user(const UserLimits* user, int change);
    int64_t suspended_settled_ns = -1;  // up to when all suspended clients' delays are settled, for a client that left
    void settle_suspended();

    ClientSlots* find(uint32_t id);
    std::array<ClientList*, 6> lists() {
        return {&to_scan, &to_direct, &followed, &suspended, &leaving, &memory_users};
    }
    int64_t pass(int64_t now_ns, bool all);
    int64_t pass_once(int64_t now_ns, bool all);
    // The parts of a pass, in order.
    bool sweep(int64_t now_ns);
    void scan(int64_t now_ns, bool all);
    // Returns the clock; 0 without a clock or with one user, when no time is measured.
    int64_t clock_ns() const { return clock != nullptr && several_users ? clock() : 0; }
    void go_on_with(const Allowance& spent, int64_t now_ns);
    bool may_write(const ClientSlots& client, uint32_t slots, int64_t now_ns);
    bool may_settle(UserLimits* user, int64_t price_ns, int64_t now_ns);
    bool look(ClientSlots& client, int64_t now_ns, bool all);
    void leave_unheard(UserLimits& user, int64_t now_ns) const;
    void charge_ring(const ClientSlots& client, int64_t now_ns);
    void settle_waits(int64_t now_ns);
    void lend(const std::vector<ClientSlots*>& sharing);
    void decide(int64_t now_ns, bool all);
    bool may_decide(const DeviceTable& device, int64_t now_ns);
    void mark_affected();
    void decide_device(DeviceTable& device, int64_t now_ns, bool all);
    void close_gates(const DeviceTable& device, int64_t now_ns);
    void must_direct(ClientSlots& client) {
        client.begin_directing();
        to_direct.add(client);
    }
    void direct(int64_t now_ns, bool all);
    bool write(ClientSlots& client, uint32_t slots, int64_t now_ns);
    uint32_t slots_to_write(const ClientSlots& client, int64_t now_ns);
    void direct_those(int64_t now_ns, bool all, bool many);
    void directed(ClientSlots& client);
    void attribute_delays(ClientSlots& victim);
    void tell_others(ClientSlots& victim);
    void look_later(ClientSlots& client);
    void beat(int64_t now_ns);
    int64_t next_wake(int64_t now_ns);
    void keep_devices_alive(int64_t now_ns);
    void tell_thrown_out();
};

}  // namespace xsched::dispatch
