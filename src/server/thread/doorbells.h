// The scheduling thread's sleep: until a client rings, somebody has an order, or a time has come. Tells which clients
// rang, so that a pass need not look at the others.
//
// A user may ring so much that the dispatcher reads his clients no more for now. Where there are other users, he is not
// heard for as long: else each ring would wake the thread, and its rest would be everybody's.
//
// The kernel waits for at most 128 words at once. A few clients are waited for by the scheduling thread itself, of each
// user about as many. Further ones are waited for in groups, each by a thread of its own that passes the news on
// (doorbell_group.h). A group's thread rests for what all of its clients do: so a user with many clients keeps no other
// user's out of the first places.
// The scheduling thread alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/futex.h"
#include "ipc/layout.h"
#include "server/thread/doorbell_group.h"

namespace xsched::server {

class Doorbells {
public:
    // `waker` wakes for everything that is not a client; sleeping starts with up to `spin_ns` of looking.
    Doorbells(base::FutexWord& waker, int64_t spin_ns);
    ~Doorbells();
    bool spins() const { return spin_ns_ > 0; }

    // `rests_until_ns`: until then its rings wake no thread, as the dispatcher's account of its user says. Null: they
    // always do. Read until the client is removed.
    void add(uint32_t id, ipc::Header& header, const std::atomic<int64_t>* rests_until_ns = nullptr);
    // Its memory is not touched any more.
    void remove(uint32_t id);
    // Whether there is somebody to be disturbed by another user's rings.
    void have_several_users(bool several) { news_.several_users.store(several, std::memory_order_relaxed); }

    // Remembers what the waker's word is now: what comes later ends the sleep. Call before looking at orders.
    void note_waker();
    // The same for the clients' words: returns the clients that rang since the last call. Call before reading the
    // clients' states.
    const std::vector<uint32_t>& note_clients();

    // Returns at once if something rang since it was noted, else when something rings, or at `until_ns`
    // (0: no such time). May return early.
    void sleep(int64_t until_ns);

private:
    size_t heard_here(const std::atomic<int64_t>* user) const;
    bool make_place(const std::atomic<int64_t>* user);
    void forget(size_t place);
    DoorbellGroup* group_with_room();
    bool anything_rang() const;
    void set_asleep(uint32_t asleep);
    bool spin(int64_t until_ns);
    bool anybody_watched() const;
    void wait(int64_t timeout_ns);
    int64_t leave_out_resting(int64_t now_ns);
    void let_in_again();

    int64_t spin_ns_;
    int64_t rang_ns_ = 0;  // when a doorbell was last heard
    bool kernel_can_ = true;  // wait for several words
    bool said_no_threads_ = false;
    std::vector<ipc::Header*> headers_;
    std::vector<uint32_t> ids_;  // likewise
    // Parallel: the waker's word, then one per client.
    std::vector<base::FutexWord*> words_;
    std::vector<uint32_t> noted_;
    std::vector<uint32_t> rung_;
    // Also parallel; of a client that rests, when it is heard again.
    struct Rest {
        const std::atomic<int64_t>* account_ns = nullptr;
        int64_t until_ns = 0;  // 0: it is heard
    };
    std::vector<Rest> rests_;
    bool any_rests_ = false;
    std::vector<base::FutexWord*> heard_words_;  // while somebody rests
    std::vector<uint32_t> heard_noted_;
    DoorbellNews news_;  // of the groups
    std::vector<std::unique_ptr<DoorbellGroup>> groups_;
};

}  // namespace xsched::server
