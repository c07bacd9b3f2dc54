// The scheduling thread's sleep: until a client rings, an order comes, or a time is reached. Tells which clients rang,
// so a pass need not look at the others.
//
// If a user's clients ring too much, the dispatcher stops reading them for a while. If there are other users, those
// clients' rings do not wake the thread meanwhile either: otherwise one user's rings would use up the rest that the
// thread owes to all.
//
// The kernel waits for at most 128 words at once. The scheduling thread itself waits for a few clients, about as many
// of each user. Further clients are waited for in groups, each by a thread that passes the news on (doorbell_group.h).
// A user with many clients cannot keep other users out of the first places. Scheduling thread alone.
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
    // `waker`: the word that wakes for everything except clients. `spin_ns`: how long to poll before each sleep.
    Doorbells(base::FutexWord& waker, int64_t spin_ns);
    ~Doorbells();
    bool spins() const { return spin_ns_ > 0; }

    // Adds a client. `rests_until_ns`: until then its rings wake no thread, as the dispatcher's account of its user
    // says; read until the client is removed. Null: its rings always wake.
    void add(uint32_t id, ipc::Header& header, const std::atomic<int64_t>* rests_until_ns = nullptr);
    // Removes a client; its memory is not touched any more.
    void remove(uint32_t id);
    // Tells whether clients of several users are here, whom one user's rings could disturb.
    void have_several_users(bool several) { news_.several_users.store(several, std::memory_order_relaxed); }

    // Notes the waker's word: a change after this call ends the sleep. Call before looking at orders.
    void note_waker();
    // Notes the clients' words, and returns the clients that rang since the last call. Call before reading the clients'
    // states.
    const std::vector<uint32_t>& note_clients();

    // Sleeps until a word changes or until `until_ns` (0: no such time). Returns at once if a word has changed since it
    // was noted. May return early.
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
    int64_t rang_ns_ = 0;  // when a doorbell last rang
    bool kernel_can_ = true;  // the kernel can wait for several words
    bool said_no_threads_ = false;
    std::vector<ipc::Header*> headers_;
    std::vector<uint32_t> ids_;  // likewise
    // The waker's word, then one word per client; the arrays below have the same order.
    std::vector<base::FutexWord*> words_;
    std::vector<uint32_t> noted_;
    std::vector<uint32_t> rung_;
    // When a resting client is listened to again.
    struct Rest {
        const std::atomic<int64_t>* account_ns = nullptr;
        int64_t until_ns = 0;  // 0: it is listened to now
    };
    std::vector<Rest> rests_;
    bool any_rests_ = false;
    std::vector<base::FutexWord*> heard_words_;  // while a client rests
    std::vector<uint32_t> heard_noted_;
    DoorbellNews news_;  // of the groups
    std::vector<std::unique_ptr<DoorbellGroup>> groups_;
};

}  // namespace xsched::server
