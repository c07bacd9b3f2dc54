#include "server/thread/scheduler.h"

#include <sys/eventfd.h>

#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "base/time.h"
#include "server/last_words.h"
#include "server/thread/in_advance.h"
#include "server/thread/latency.h"
#include "server/thread/real_time.h"

namespace xsched::server {
namespace {

constexpr int64_t kPassWithinNs = base::kSecond;

}  // namespace

Scheduler::Scheduler(sched::Core core, int64_t spin_ns, bool records, Look look)
    : dispatcher_(std::move(core)),
      doorbells_(waker_, spin_ns),
      look_(std::move(look)),
      attention_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      policy_name_(dispatcher_.core().policy_name()),
      needs_(dispatcher_.core().needs()) {
    dispatcher_.measure_with(base::now_ns);
    if (records) journal_.want_until(INT64_MAX);
}

Scheduler::~Scheduler() { stop(); }

void Scheduler::start() {
    try {
        thread_ = std::thread([this] {
            pthread_setname_np(pthread_self(), "xserver-sched");
            take_heap_of_thread();
            ask_for_low_latency(kSchedulingNice);
            run_or_end([this] { loop(); });
            ended_.store(1);
            base::futex_wake_all(ended_);
        });
    } catch (const std::system_error& error) {
        throw std::runtime_error(std::string("no thread can be started for scheduling (") + error.what() +
                                 "): raise the limit of processes (ulimit -u, pids.max)");
    }
}

bool Scheduler::stop() {
    if (!thread_.joinable()) return true;
    stop_.store(true);
    wake();
    const int64_t give_up = base::now_ns() + kPassWithinNs;
    while (ended_.load() == 0 && base::now_ns() < give_up) base::futex_wait(ended_, 0, give_up - base::now_ns());
    if (ended_.load() != 0) {
        thread_.join();
        return true;
    }
    thread_.detach();
    return false;
}

bool Scheduler::run(const Order& order) {
    const auto ticket = std::make_shared<Ticket>(order);
    {
        const std::lock_guard lock(mutex_);
        inbox_.push_back(ticket);
    }
    wake();
    const auto is = [&](Stage stage) { return ticket->stage.load() == static_cast<uint32_t>(stage); };
    const int64_t give_up = base::now_ns() + kPassWithinNs;
    while (!is(Stage::kPassed)) {
        const uint32_t seen = ticket->stage.load();
        const int64_t left = give_up - base::now_ns();
        if (left > 0) {
            base::futex_wait(ticket->stage, seen, left);
            continue;
        }
        if (is(Stage::kDone)) return true;  // decided; the pass after it may take its time
        uint32_t waiting = static_cast<uint32_t>(Stage::kWaiting);
        if (ticket->stage.compare_exchange_strong(waiting, static_cast<uint32_t>(Stage::kGivenUp))) return false;
        base::futex_wait(ticket->stage, seen, base::kMillisecond);  // begun: the thread uses the caller's objects, so
                                                                    // the caller must wait
    }
    return true;
}

void Scheduler::admit(const dispatch::ClientView& client) {
    dispatch::ClientView view = client;
    view.journal = &journal_;
    view.holds = &holds_;
    view.together = &together_;
    dispatcher_.add_client(view);
    doorbells_.add(client.id, client.region->header,
                   client.limits != nullptr ? &client.limits->unheard_until_ns : nullptr);
    doorbells_.have_several_users(dispatcher_.has_several_users());
    clients_.insert_or_assign(client.id, client.limits);
    if (client.limits != nullptr) recorded_users_.came(client.limits);
    share_journal(base::now_ns());
}

void Scheduler::share_journal(int64_t now_ns) {
    const uint32_t users = recorded_users_.count(now_ns);
    journal_.share(users);
    holds_.share(users);
}

void Scheduler::expel(uint32_t id) {
    const auto found = clients_.find(id);
    if (found == clients_.end()) return;
    dispatcher_.remove_client(id);
    doorbells_.remove(id);
    const int64_t now_ns = base::now_ns();
    if (found->second != nullptr) recorded_users_.left(*found->second, now_ns);
    share_journal(now_ns);
    doorbells_.have_several_users(dispatcher_.has_several_users());
    clients_.erase(found);
}

void Scheduler::loop() {
    RealTime real_time(base::now_ns(), !doorbells_.spins());
    while (!stop_.load()) {
        doorbells_.note_waker();
        const Tickets tickets = take_orders();
        carry_out(tickets);
        const std::vector<uint32_t>& rung = doorbells_.note_clients();
        const int64_t now = base::now_ns();
        if (recorded_users_.due_ns() != 0 && now >= recorded_users_.due_ns()) share_journal(now);
        holds_.decide_under(dispatcher_.core().policy_name(), now);
        int64_t planned = dispatcher_.pass(now, rung);
        note_keeping_off(planned != 0);  // while some unit is kept off, heartbeats are due
        if (look_) planned = base::earlier(planned, look_(now));
        policy_name_.store(dispatcher_.core().policy_name());
        needs_.store(dispatcher_.core().needs(), std::memory_order_relaxed);
        tell_passed(tickets);
        if (stop_.load()) break;
        real_time.turn_ends(base::now_ns());
        doorbells_.sleep(planned);
    }
    resume_everybody();
}

Scheduler::Tickets Scheduler::take_orders() {
    const std::lock_guard lock(mutex_);
    return std::exchange(inbox_, {});
}

void Scheduler::carry_out(const Tickets& tickets) {
    for (const auto& ticket : tickets) {
        uint32_t waiting = static_cast<uint32_t>(Stage::kWaiting);
        if (!ticket->stage.compare_exchange_strong(waiting, static_cast<uint32_t>(Stage::kBegun))) continue;
        ticket->order(dispatcher_);
        ticket->stage.store(static_cast<uint32_t>(Stage::kDone));
    }
}

void Scheduler::tell_passed(const Tickets& tickets) {
    for (const auto& ticket : tickets) {
        uint32_t done = static_cast<uint32_t>(Stage::kDone);
        if (ticket->stage.compare_exchange_strong(done, static_cast<uint32_t>(Stage::kPassed)))
            base::futex_wake_all(ticket->stage);
    }
}

void Scheduler::hear_attention() {
    eventfd_t ignored = 0;
    eventfd_read(attention_.get(), &ignored);
}

void Scheduler::note_keeping_off(bool keeps_off) {
    if (keeps_off != keeps_off_.load(std::memory_order_relaxed)) keeps_off_.store(keeps_off, std::memory_order_relaxed);
    if (keeps_off && tell_.load(std::memory_order_relaxed) && tell_.exchange(false)) eventfd_write(attention_.get(), 1);
}

void Scheduler::resume_everybody() {
    while (!clients_.empty()) expel(clients_.begin()->first);
}

void Scheduler::wake() {
    waker_.fetch_add(1);
    base::futex_wake_all(waker_);
}

}  // namespace xsched::server
