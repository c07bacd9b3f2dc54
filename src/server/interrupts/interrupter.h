// Takes clients' work off their devices, and puts it back, by the descriptors that a client has handed over (level 3):
// for those that do not answer, and for several of one priority at once, whose own calls would wait for each other in
// the driver. Else a client that answers does it itself; then this does nothing.
//
// Calls to the driver take up to a millisecond, so that they are made on a thread of its own. The wanted state and the
// reached state are compared until they agree: whoever acts last, client or server, acts on the newest directive. The
// thread also sees when the scheduling thread hangs, and lets everything run. The driver counts disablings: each is
// undone by an enabling of its own, whoever makes it.
//
// A set counts once it is proved to be its descriptor's own. The proof is a call on a peer's descriptor and may wait in
// the driver: so the thread makes it too, before anything else is done with the set. A set that proves false is dropped
// and counted against its user (limits.def, "refused-handovers").
//
// take and release: front thread. watch, unwatch and look: scheduling thread; look costs nothing for clients that have
// handed nothing over.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "ipc/protocol.h"
#include "server/clients/client.h"
#include "server/interrupts/handover_account.h"
#include "server/interrupts/interrupts.h"

namespace xsched::server {

class Interrupter {
public:
    // No process gets a longer timeslice in the hardware, whatever its slots and its handovers say.
    explicit Interrupter(uint32_t most_timeslice_us) : most_timeslice_us_(most_timeslice_us) {}
    ~Interrupter() { finish(); }
    Interrupter(const Interrupter&) = delete;
    Interrupter& operator=(const Interrupter&) = delete;

    // Takes a packet that came from a client after its Hello, with the control device that came along (none: it was
    // something else). False: not of our protocol. The client must be watched from then on.
    bool take(const Client& client, const void* packet, size_t bytes, base::UniqueFd fd);
    // The client is gone, or let go, and no longer watched: whoever stopped it, it runs, with the timeslices that the
    // driver had set.
    void release(uint32_t client);
    // Everything that it stopped runs again, then it returns. Nothing may come after it.
    void finish();

    void watch(uint32_t client, int32_t pid, ipc::Region* region);
    void unwatch(uint32_t client);
    // Looks whether clients carry out their directives, and steps in if not. Returns when to look again; 0: no need.
    int64_t look(int64_t now_ns);
    // The Header::together of these clients has changed.
    void follow_together(const std::vector<uint32_t>& clients);
    // Of which devices this can take the client's work off together with others'. Any thread.
    std::vector<uint64_t> devices_of(uint32_t client);
    // Clients of which that has changed since the last call: a set was proved, or the driver refused. Costs nothing
    // where there are none.
    std::vector<uint32_t> take_changed();

private:
    struct Set {
        const Interrupts* by = nullptr;  // the platform's way
        Handed handed;
        std::shared_ptr<base::UniqueFd> fd;
        std::shared_ptr<HandoverAccount> account;  // its user's
        uint64_t came = 0;  // which of all handovers it is
        bool proved = false;  // it is the descriptor's own
        bool listed = false;  // devices_of has it: it, or the one before it of that key, was proved
        bool wanted = false;  // stopped
        uint32_t wanted_us = 0;
        bool stopped = false;  // as last done here
        uint32_t done_us = 0;
        bool left_stopped = false;  // the client stopped it, and does not let it go
        bool renewed = false;  // the channels are others than those that were stopped
        bool dirty = false;  // to be done, whatever was done last
        bool busy = false;  // being done
        bool going = false;  // then to be closed
        bool together = false;  // the next call is made for several clients
        bool refused = false;  // and that was refused
        std::atomic<uint32_t>* taken = nullptr;  // its client's word for that; stays until release
    };
    static constexpr uint32_t kUnknownUs = UINT32_MAX;  // a timeslice that somebody may have set
    struct Key {
        uint32_t client;
        uint64_t device;
        uint64_t key;
        auto operator<=>(const Key&) const = default;
    };
    // A client that handed something over, and how it answers.
    struct Watched {
        uint32_t id = 0;
        int32_t pid = 0;
        ipc::Region* region = nullptr;
        uint32_t carried_out = 0;
        int64_t silent_since_ns = 0;  // 0: it is not
        bool acting = false;  // it is done for it here,
        bool silent = false;  // since it does not answer,
        bool together = false;  // or for it and others at once
    };

    int64_t look_at(Watched& client, int64_t now_ns);
    void follow(const Watched& client);
    void keep(const Key& key, Set fresh);
    bool hand_back(const Watched& client);
    bool has_thread();
    void retire(Set& set);
    // The thread (interrupter_thread.cpp).
    void run();
    bool act(std::unique_lock<std::mutex>& lock);
    bool act_together(std::unique_lock<std::mutex>& lock);
    bool act_alone(std::unique_lock<std::mutex>& lock);
    bool prove_next(std::unique_lock<std::mutex>& lock);
    void refuse(uint32_t client);
    void note_changed(uint32_t client);
    void begin_acting(Watched& client);
    bool watch_scheduler(int64_t now_ns);

    // Scheduling thread.
    std::vector<Watched> watched_;
    int64_t looked_ns_ = 0;
    int64_t look_again_ns_ = 0;

    std::atomic<int64_t> beat_ns_{0};
    std::atomic<bool> any_changed_{false};
    const uint32_t most_timeslice_us_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<Key, Set> sets_;  // under mutex_
    uint64_t came_ = 0;  // under mutex_: handovers
    std::vector<uint32_t> changed_clients_;  // under mutex_
    std::vector<std::shared_ptr<base::UniqueFd>>
        retired_;  // under mutex_; closed by the thread, which may take its time
    bool stop_ = false;  // under mutex_
    std::thread thread_;  // started with the first set
};

}  // namespace xsched::server
