// One client as the dispatcher keeps it: its shared memory, what was seen in and written to each slot, and which units
// its queues make. Not thread-safe. Allocates only when a slot or a unit is used that never was before.
#pragma once

#include <compare>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "dispatch/dispatcher.h"
#include "dispatch/means.h"
#include "dispatch/record.h"
#include "dispatch/slot_reader.h"
#include "dispatch/trials.h"
#include "dispatch/unit_table.h"
#include "dispatch/user_share.h"
#include "ipc/layout.h"
#include "sched/core.h"

namespace xsched::dispatch {

struct QueueMemory {
    bool used = false;
    bool scheduled = false;  // within its user's limit
    uint64_t handle = 0;
    uint32_t own = 0;   // its unit among the client's own
    bool held = false;  // by handle
    bool ready = false;
    bool suspended = false;  // as last written
    bool device_progress = false;
    int64_t idle_seen_ns = 0;  // with device_progress: when the last ready -> idle change was seen
    uint64_t completed = 0;    // as last seen to change, or asked about,
    int64_t asked_ns = 0;      // then
    int64_t progress_ns = 0;   // when it last changed, or the queue became ready
    sched::Verdict verdict{};
    uint32_t by_client = 0;    // of the verdict
    int32_t by_pid = 0;
    int64_t kept_off_ns = 0;   // with work to do, since it was suspended last
    int32_t kept_off_by = 0;   // the process that this was for, first; 0: nobody
    bool kept_off_by_others = false;
    int64_t suspended_total_ns = 0;
    uint64_t preemptions = 0;
    int64_t ready_since_ns = 0;
    bool has_priority = false;    // it counts among its user's
    int32_t wanted_priority = 0;  // within the user's highest
    int32_t priority = 0;         // that it got
    uint32_t level = 0;
    Means means = Means::kNone;
    ipc::Interrupt interrupt{};  // as written
    uint32_t timeslice_us = 0;
    bool warmed = false;  // for the burst that is about to begin
};

// For so long the unit `by` of the client `by_client` kept this client's work off.
struct Delay {
    uint64_t by;
    uint32_t by_client;
    int64_t ns;
    auto operator<=>(const Delay&) const = default;
};

// What makes queues of one client one unit.
struct UnitKey {
    uint64_t device = 0;
    int32_t priority = 0;
    bool held = false;
    bool operator==(const UnitKey&) const = default;
};
struct UnitKeyHash {
    size_t operator()(const UnitKey& key) const {
        return (key.device ^ (static_cast<uint64_t>(static_cast<uint32_t>(key.priority)) << 1 | (key.held ? 1 : 0)) << 40) *
               0x9e3779b97f4a7c15U;
    }
};

struct RoomFor {
    uint32_t client = 0;  // 0: for nobody
    int64_t until_ns = 0;
};

class Client {
public:
    // While queues may be suspended for somebody more urgent: how much device time is kept in flight.
    static constexpr int64_t kWindowNs = 1'000'000;
    // What it takes to keep a process off, for its agent to wake and for the call: usually, and at most; and from the
    // call's end until it has had its effect.
    static constexpr int64_t kLingerNs = 700'000;
    static constexpr int64_t kMostLingerNs = 3'000'000;
    static constexpr int64_t kEffectNs = 300'000;

    Client(const ClientView& view, UnitTable& units);
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    const ClientView& view() const { return view_; }
    const std::vector<QueueMemory>& queues() const { return queues_; }
    // What was not taken yet. Queues of a process that stand side by side count once for whom they made room for.
    std::vector<Delay>& delays() { return delays_; }
    // Counts the delays until now.
    void settle_delays(int64_t now_ns);
    // Its own work kept another client's off.
    void caused_delay(int64_t ns);
    int64_t delay_caused_ns() const { return delay_caused_ns_; }

    // Reads the used slots, at most so many at a time, and puts its units into the table. False: there are more.
    bool scan(int64_t now_ns, uint32_t most = UINT32_MAX);
    // Its last scan was not its last part: of some queues the units are not in the table yet.
    bool is_being_read() const { return scanned_ != 0; }
    // How many slots that takes, about.
    uint32_t slots() const { return view_.region->header.slot_end.load(std::memory_order_relaxed); }
    // Before anything else is written for anybody: the queues with work of this unit, which is to be suspended, do not start
    // anything more. direct() follows in the same pass.
    void close_gates(uint32_t own, int64_t now_ns);
    // Writes the verdicts on its units into the slots, and the header.
    void direct(int64_t now_ns);
    // Tells its agent, once, if something was written since the last call. True: it did.
    bool ring();
    // For which client something of this one is on its way off its device, to be kept off, and until when at least.
    RoomFor makes_room(int64_t now_ns);
    bool is_leaving() const { return leaving_.for_client != 0; }
    // Others are on their way off for this one.
    void linger(int64_t until_ns);

    // When it is to be read and looked at again though it did not ring: what runs may last, or what it announced is over;
    // 0: no need.
    int64_t look_again_ns() const { return sched::earlier(look_again_ns_, announced_over_ns_); }
    // True: `watching` was raised since the last call, so that a change just before may have gone unreported.
    bool began_watching();
    // Its counters move while somebody is interested in them: to be read at every pass.
    bool is_followed() const { return followed_; }
    bool suspends() const { return suspended_; }
    // A running queue's completion is to be seen by looking: the device that reports it rings nobody.
    bool polled() const { return polled_; }
    void beat(int64_t now_ns);

    bool set_held(uint64_t handle, bool held);
    // Resumes everything, leaves the memory as for a process that is alone, and takes its units out of the table.
    void let_go(int64_t now_ns);

    void unit_moved(uint32_t own, uint32_t at) { own_[own].at = at; }

    // The dispatcher's: in which of its lists this client is.
    struct Listed {
        bool scan = false;
        bool direct = false;
        bool followed = false;
        bool suspended = false;
        bool look_again = false;
        bool leaving = false;
    };
    Listed listed;

private:
    struct Own {  // a unit: its queues with equal priority on one device
        UnitKey key;
        bool here = false;    // in the table
        uint32_t queues = 0;  // of this scan
        DeviceTable* table = nullptr;
        uint32_t at = 0;
        sched::UnitState state;  // as of this scan
    };

    int64_t stuck_since_ns(int64_t now_ns);
    bool within_limits(QueueMemory& queue);
    void see(uint32_t at, QueueNumbers& numbers, int64_t now_ns);
    void forget(uint32_t at);
    void leave_limits(QueueMemory& queue);
    uint32_t own_of(const QueueNumbers& numbers, bool held, uint32_t guess);
    void join_own(Own& own, const QueueNumbers& numbers);
    void publish_units();
    void note_delay(QueueMemory& queue, int64_t ns);
    void release_own(uint32_t at);
    void ask(uint32_t at);
    void begin_suspension(int64_t now_ns);
    void direct_queue(uint32_t at, const sched::Verdict& verdict, int64_t now_ns);
    void write_record(uint32_t at, int64_t now_ns);
    void log_change(const QueueMemory& queue) const;
    const Own& own(const QueueMemory& queue) const { return own_[queue.own]; }
    const sched::UnitState* unit_of(const QueueMemory& queue, uint64_t id) const;
    // By which means its units are kept off (client_means.cpp).
    struct Device {  // one that its queues are on
        int64_t stands_ns = 0;   // since when all of its queues there are suspended; 0: not all are
        Means usual = Means::kNone;  // without regard to announcements, and to what is running
        Means means = Means::kNone;
        ipc::Interrupt interrupt{};  // until one of them runs again
        int64_t by_busy_ns = 0;  // what the unit that it makes room for had used of it then
        uint64_t tried_by = 0;   // the unit whose burst is a trial; 0: it is none
        uint32_t tried_at = 0;   // its position then
        unsigned tried_way = 0;
        Trials trials;  // a short timeslice, and its gate
        std::vector<uint32_t> queues;  // on it
    };
    void choose_means(int64_t now_ns);
    struct Stand {  // how its queues on a device are, all together
        Victim victim;
        bool all_suspended = true;
        bool all_able = true;  // to be interrupted
        bool ready = false;
        bool announced = false;
        uint32_t timeslice_us = 0;
        const sched::UnitState* urgent = nullptr;  // whom they make room for, and its position
        uint32_t urgent_at = 0;
    };
    Stand stand_on(const Device& device) const;
    static void end_trial(Device& device, const DeviceTable& table);
    void interrupt_on(Device& device, const Stand& stand, bool short_timeslice, int64_t now_ns);
    void choose_on(Device& device, int64_t now_ns);
    // Stores and remembers to ring, if it differs.
    template <typename T>
    bool put(std::atomic<T>& field, T value);

    ClientView view_;
    UnitTable& units_;
    UserShare share_;
    std::vector<QueueMemory> queues_;  // of the slots up to the last one ever used
    std::vector<Own> own_;
    std::unordered_map<UnitKey, uint32_t, UnitKeyHash> own_at_;
    std::vector<uint32_t> own_free_;
    uint32_t scanned_ = 0;             // slots of the scan under way
    std::unordered_map<uint64_t, Device> devices_;
    int64_t look_again_ns_ = 0;
    int64_t announced_over_ns_ = 0;
    std::vector<Delay> settling_;
    std::vector<Delay> delays_;
    int64_t delays_settled_ns_ = 0;
    int64_t delay_caused_ns_ = 0;
    int64_t heartbeat_ns_ = 0;
    uint32_t driver_calls_ = 0;    // as seen last, and since when
    int64_t driver_calls_ns_ = 0;
    int64_t stuck_since_ns_ = 0;
    uint32_t last_unit_ = 0;
    bool suspended_ = false;  // something of it is
    bool polled_ = false;
    bool followed_ = false;
    bool prompt_ = false;  // a suspension may interrupt what runs
    struct Leaving {       // see makes_room
        uint32_t for_client = 0;
        int64_t since_ns = 0;
        bool rung = false;
        uint32_t directive = 0;  // the number that its agent then has to carry out
    };
    Leaving leaving_;
    bool touched_ = false;
    bool began_watching_ = false;
};

}  // namespace xsched::dispatch
