// The scheduling thread: reads shared memory, decides, writes directives, and sleeps on the doorbells. It never
// receives, opens, closes or waits for a peer. Other threads give it orders, which it carries out between two passes.
//
// Threads: any other thread calls start, stop and run. Only orders call admit and expel.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/no_copies.h"
#include "base/unique_fd.h"
#include "dispatch/dispatcher.h"
#include "dispatch/recorded_users.h"
#include "server/thread/doorbells.h"

namespace xsched::server {

class Scheduler : base::NoCopies {
public:
    using Order = std::function<void(dispatch::Dispatcher&)>;
    // A function called after each pass, on the scheduling thread, with the time. Returns when to call it again at the
    // latest (0: no need).
    using Look = std::function<int64_t(int64_t)>;

    // `records`: the journal is always kept, not only while a tool asks for it.
    Scheduler(sched::Core core, int64_t spin_ns, bool records, Look look);
    ~Scheduler();

    void start();  // throws std::runtime_error with a sentence
    // Resumes all units and ends the thread. Returns false if the thread gives no sign of life; it is then left as it
    // is.
    bool stop();
    // Carries `order` out on the scheduling thread before its next pass, and returns after that pass. Returns false if
    // that does not happen within a second; then the order is never carried out.
    bool run(const Order& order);

    // Returns a descriptor that becomes readable when a unit is kept off or soon will be: once for each call of
    // tell_of_keeping_off().
    int attention_fd() const { return attention_.get(); }
    void hear_attention();
    void tell_of_keeping_off() { tell_.store(true); }
    bool keeps_off() const { return keeps_off_.load(std::memory_order_relaxed); }
    // Returns the name of the policy in force at the end of the last pass. Any thread.
    const char* policy_name() const { return policy_name_.load(); }
    policy::Fact needs() const { return needs_.load(std::memory_order_relaxed); }
    // Returns the accounts on which shares rest. Scheduling thread.
    const std::vector<policy::Ahead>& accounts() { return dispatcher_.core().accounts(); }

    // Returns the clients whose Header::together has changed since the caller last emptied the list. Scheduling thread.
    std::vector<uint32_t>& together() { return together_; }
    // Calls Dispatcher::act_for. Scheduling thread.
    void act_for(uint32_t client, std::vector<uint64_t> devices) { dispatcher_.act_for(client, std::move(devices)); }

    // Returns the journal of observations and decisions. Front thread.
    dispatch::Journal& journal() { return journal_; }

    // Returns the log of queues that were kept off. Front thread.
    const dispatch::HoldLog& holds() const { return holds_; }

    // Adds a client, whose memory must stay mapped until it is expelled.
    void admit(const dispatch::ClientView& client);
    void expel(uint32_t id);

private:
    // The stage of an order. A caller that gives up and the thread that begins it decide by an atomic exchange which
    // was first.
    enum class Stage : uint32_t { kWaiting, kBegun, kDone, kPassed, kGivenUp };
    struct Ticket {
        explicit Ticket(const Order& what) : order(what) {}
        const Order& order;  // belongs to a caller who waits until the order is done or given up
        base::FutexWord stage{static_cast<uint32_t>(Stage::kWaiting)};
    };
    using Tickets = std::vector<std::shared_ptr<Ticket>>;

    void loop();
    Tickets take_orders();
    void carry_out(const Tickets& tickets);
    static void tell_passed(const Tickets& tickets);
    void note_keeping_off(bool keeps_off);
    void share_journal(int64_t now_ns);
    void resume_everybody();
    void wake();

    dispatch::Journal journal_;  // must precede the members that write to it:
    dispatch::HoldLog holds_;
    std::vector<uint32_t> together_;
    dispatch::RecordedUsers recorded_users_;
    dispatch::Dispatcher dispatcher_;
    base::FutexWord waker_{0};
    Doorbells doorbells_;
    Look look_;
    std::unordered_map<uint32_t, std::shared_ptr<dispatch::UserLimits>> clients_;
    base::UniqueFd attention_;  // eventfd
    std::atomic<bool> tell_{true};
    std::atomic<bool> keeps_off_{false};
    std::atomic<const char*> policy_name_;  // points to a constant text
    std::atomic<policy::Fact> needs_;

    std::mutex mutex_;
    Tickets inbox_;  // under mutex_, which guards only this
    std::atomic<bool> stop_{false};
    base::FutexWord ended_{0};
    std::thread thread_;
};

}  // namespace xsched::server
