// Takes clients' work off their devices, and puts it back, using the descriptors that clients have handed over (level
// 3). It acts for clients that do not answer. It also acts for several clients of one priority at once, whose own calls
// would wait for each other in the driver. In all other cases a client does it itself.
//
// Calls to the driver take up to a millisecond, so a separate thread makes them. It compares the wanted state with the
// reached state until they agree, so the newest directive wins whether client or server acts last. If the scheduling
// thread hangs, it lets all work run. The driver counts disablings: each one needs its own enabling, made by either
// side.
//
// A set of channels is used only after a proof that its descriptor owns them. The proof is a call on a peer's
// descriptor and may block in the driver, so the same thread makes it. A set that proves false is dropped and counted
// against its user (limits.def, "refused-handovers").
//
// Threads: take and release, front thread; watch, unwatch and look, scheduling thread. look costs nothing for clients
// that have handed nothing over.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/no_copies.h"
#include "base/unique_fd.h"
#include "ipc/protocol.h"
#include "server/clients/client.h"
#include "server/interrupts/handover_account.h"
#include "server/interrupts/interrupts.h"

namespace xsched::server {

class Interrupter : base::NoCopies {
public:
    // `most_timeslice_us`: the longest hardware timeslice that any process gets, whatever its slots and its handovers
    // say.
    explicit Interrupter(uint32_t most_timeslice_us) : most_timeslice_us_(most_timeslice_us) {}
    ~Interrupter() { finish(); }

    // Takes a packet that a client sent after its Hello, with the control device that came with it (none: another
    // descriptor came). Returns false if the packet breaks the protocol. Then the client must be watched.
    bool take(const Client& client, const void* packet, size_t bytes, base::UniqueFd fd);
    // Forgets a client that is gone or released and is no longer watched. Its work runs again, with the driver's own
    // timeslices, even if the client itself stopped it.
    void release(uint32_t client);
    // Lets everything run that this object stopped, then returns. Call nothing after it.
    void finish();

    void watch(uint32_t client, int32_t pid, ipc::Region* region);
    void unwatch(uint32_t client);
    // Checks whether clients carry out their directives, and acts if not. Returns when to check again; 0: no need.
    int64_t look(int64_t now_ns);
    // Reads Header::together of these clients again: whether the server is to take their work off together with other
    // clients'.
    void follow_together(const std::vector<uint32_t>& clients);
    // Returns the devices from which this object can take the client's work off together with others'. Any thread.
    std::vector<uint64_t> devices_of(uint32_t client);
    // Returns the clients for which the answer of devices_of has changed since the last call: a set was proved, or the
    // driver refused. Costs nothing if no client handed anything over.
    std::vector<uint32_t> take_changed();

private:
    struct Handover {
        const Interrupts* by = nullptr;  // the platform's way
        Handed handed;
        std::shared_ptr<base::UniqueFd> fd;
    };
    struct Set {
        Handover handover;
        std::shared_ptr<HandoverAccount> account;  // its user's
        uint64_t came = 0;  // number of this handover among all
        bool proved = false;  // the descriptor owns the channels
        bool listed = false;  // devices_of lists it: this set, or an earlier one of the same key, was proved
        bool wanted = false;  // stopped
        uint32_t wanted_us = 0;
        bool stopped = false;  // state after the last action here
        uint32_t done_us = 0;
        bool left_stopped = false;  // the client stopped it and does not resume it
        bool renewed = false;  // its channels are not the ones that were stopped
        bool dirty = false;  // an action is due in any case
        bool busy = false;  // being done
        bool going = false;  // to be closed after the next action
        bool together = false;  // the next call is made for several clients at once
        bool refused = false;  // the driver refused such a call
        std::atomic<uint32_t>* taken = nullptr;  // tells the client that the server acts; points into the client's
                                                 // memory until release
    };
    static constexpr uint32_t kUnknownUs = UINT32_MAX;  // the timeslice is not known: the client may have set one
    struct Key {
        uint32_t client;
        uint64_t device;
        uint64_t key;
        auto operator<=>(const Key&) const = default;
    };
    // A client that handed a set over, and whether it answers.
    struct Watched {
        uint32_t id = 0;
        int32_t pid = 0;
        ipc::Region* region = nullptr;
        uint32_t carried_out = 0;
        int64_t silent_since_ns = 0;  // when it stopped answering; 0: it answers
        bool acting = false;  // the server makes this client's interrupt calls
        bool silent = false;  // it must, as the client does not answer
        bool together = false;  // it does, to interrupt several clients at once
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
        retired_;  // sets to close; under mutex_; the thread closes them, since that may block
    bool stop_ = false;  // under mutex_
    std::thread thread_;  // started with the first set that is handed over
};

}  // namespace xsched::server
