#include "agent/agent.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "agent/backoff.h"
#include "agent/carry_out.h"
#include "agent/connection.h"
#include "agent/connection_log.h"
#include "agent/decision_log.h"
#include "agent/directive_wait.h"
#include "agent/heartbeat.h"
#include "agent/lifeline.h"
#include "agent/local_scheduler.h"
#include "agent/server_start.h"
#include "base/clock.h"
#include "base/confinement.h"
#include "base/log.h"
#include "base/options.h"
#include "base/time.h"
#include "ipc/region.h"
#include "ipc/slot_hints.h"
#include "policy/policy.h"
#include "queue/device_names.h"
#include "queue/driver_calls.h"
#include "queue/path/directive_sleep.h"
#include "queue/stop/handover.h"

namespace xsched::agent {
namespace {

using queue::XQueue;

constexpr int64_t kServerStartNs = 3 * base::kSecond;
constexpr int64_t kServerStartLookNs = 5 * base::kMillisecond;

// All of the process's state. g_mutex is held while the scheduler changes, never by a queue's launch path.
base::Mutex g_mutex;
std::atomic<bool> g_started{false};
std::atomic<ipc::Region*> g_region{nullptr};
ipc::Region* g_private = nullptr;
XSchedulerType g_wanted = kSchedulerAppManaged;
std::atomic<bool> g_connected{false};
std::atomic<bool> g_stop{false};
Connection g_connection;
Lifeline g_lifeline;
std::atomic<bool> g_lifeline_ended{false};
LocalScheduler g_local;
Errands g_errands;
base::Thread g_thread;            // carries out directives; never calls a vendor's driver
bool g_fork_handler = false;
bool g_told_unscheduled = false;  // set once the log has told that this process runs unscheduled; cleared when a server
                                  // connects
bool g_told_brief = false;  // set once the log has told that servers are lost as soon as they connect
bool g_start_server = false;  // the agent's thread is to start one

void move_queues(ipc::Region* region) {
    const ipc::Region* before = g_region.load(std::memory_order_acquire);
    if (before != nullptr && before != region) ipc::carry_defaults(before->header, region->header);
    queue::publish_device_names(region->header);
    g_region.store(region, std::memory_order_release);
    for_each_queue([](XQueue& queue) { queue.attach(placement(queue.index())); });
}

void decide_locally() { g_local.decide_here(); }

void stop_local_scheduler() {
    if (!g_local.stop()) return;
    for_each_queue([](XQueue& queue) { queue.forget_directive(); });
}

// A sandbox may end the process at its next connection.
void stay_in_sandbox() {
    g_told_unscheduled = true;
    say_sandbox();
}

bool connect_to_server(bool first) {
    if (base::entered_sandbox()) {
        stay_in_sandbox();
        return false;
    }
    char path[ipc::kSocketPathBytes] = "";
    const char* refusal = "";
    ipc::Region* region = g_connection.open(path, &refusal, first);
    if (region != nullptr) {
        g_connection.send_handovers();  // before anything can be asked for that the server may have to undo
        stop_local_scheduler();
        g_connected.store(true, std::memory_order_release);
        want_decisions(region->header);
        move_queues(region);
        g_lifeline.changed();
        say_connected(region->header.server_pid, path, g_told_unscheduled && !g_told_brief);
        g_told_unscheduled = g_told_unscheduled && g_told_brief;
        return true;
    }
    if (!first) return false;
    if (*refusal == '\0' && may_start_server()) {
        g_start_server = true;
        if (base::options().start_server != 0) XLOG_INFO("no xserver answers at %s: starting one", path);
        return false;
    }
    g_told_unscheduled = true;
    say_unserved(path, refusal);
    return false;
}

// No server answers: this process keeps its own queues in order until one does.
void schedule_alone(const char* why) {
    if (g_local.prepare(base::options().policy_name, *g_private) && g_local.start(decide_locally))
        XLOG_WARN("%s: using local scheduler with policy %s until one answers", why, g_local.policy_name());
    else
        XLOG_WARN("%s: this process runs unscheduled until one answers", why);
    g_told_unscheduled = true;
}

// Starts a server if none answered. The agent's thread does this first.
void start_missing_server() {
    const char* why = base::entered_sandbox() ? "this process has entered a sandbox" : start_server();
    const int64_t give_up = base::now_ns() + kServerStartNs;
    while (why == nullptr && !g_stop.load(std::memory_order_acquire)) {
        if (connect_to_server(false)) return;
        if (base::now_ns() >= give_up) why = "the xserver that was started does not answer";
        base::sleep_ns(kServerStartLookNs);
    }
    if (why != nullptr) schedule_alone(why);
}

// Falls back to private memory after the server was lost. `brief`: the connection ended within a moment of its begin.
void lose_server(const char* why, bool brief) {
    g_connected.store(false, std::memory_order_release);
    const ipc::Region* region = g_region.load(std::memory_order_acquire);
    for_each_queue([](XQueue& queue) { queue.apply_wanted_config(); });  // the server's last settings, if they came
                                                                         // just before it left
    move_queues(g_private);
    g_connection.hang_up();
    g_lifeline.changed();
    // The server may have stopped this process's channels while the process did not answer. A lost server cannot start
    // them again, so this process does.
    if (region->header.outside_stopped.load(std::memory_order_acquire) != 0) queue::undo_handovers();
    if (!g_told_brief || !brief) say_lost(why, brief);
    g_told_unscheduled = true;
    g_told_brief = brief;
}

// Returns a sentence about the server's trouble; null while the server answers.
const char* server_trouble(const ipc::Header& header, Heartbeat& heartbeat, bool any_suspended) {
    if (header.detached.load(std::memory_order_acquire) != 0) return "it let this process go";
    if (heartbeat.is_lost(header.heartbeat_ns.load(std::memory_order_acquire), any_suspended, base::now_ns()))
        return "it keeps queues suspended and gives no sign of life";
    return g_connection.lost() ? "its connection closed" : nullptr;
}

// Waits until it is time to look for a server again. The process may schedule itself meanwhile.
void pause_without_server(DirectiveWait& wait, ipc::Header& header, uint32_t seen, int64_t pause_ns) {
    const int64_t until = base::now_ns() + pause_ns;
    for (int64_t now = base::now_ns(); now < until && !g_stop.load(std::memory_order_acquire); now = base::now_ns()) {
        if (g_local.started()) carry_out(header, seen, g_errands);
        wait.sleep(header, seen, std::min(until - now, kLookWhileSuspendedNs));
        seen = header.directive.load(std::memory_order_seq_cst);
    }
}

void* global_body(void*) {
    DirectiveWait wait(g_stop);
    Backoff backoff;
    Heartbeat heartbeat;
    if (std::exchange(g_start_server, false)) start_missing_server();
    backoff.came(base::now_ns());
    int64_t next_look = base::now_ns() + kLookNs;
    while (!g_stop.load(std::memory_order_acquire)) {
        ipc::Region& region = *g_region.load(std::memory_order_acquire);
        const uint32_t seen = region.header.directive.load(std::memory_order_seq_cst);
        if (!g_connected.load(std::memory_order_acquire)) {
            pause_without_server(wait, region.header, seen, backoff.take());
            if (g_stop.load(std::memory_order_acquire)) break;
            if (connect_to_server(false)) {
                backoff.came(base::now_ns());
                heartbeat = {};
            } else if (g_connection.refused()) {
                backoff.refused();
            }
            continue;
        }
        g_connection.send_handovers();  // first, as above
        const CarriedOut done = carry_out(region.header, seen, g_errands);
        log_decisions(region);
        const int64_t now = base::now_ns();
        const bool ended = g_lifeline_ended.exchange(false, std::memory_order_acq_rel);
        if (ended || done.any_suspended || now >= next_look ||
            region.header.detached.load(std::memory_order_relaxed) != 0) {
            next_look = now + kLookNs;
            if (const char* trouble = server_trouble(region.header, heartbeat, done.any_suspended)) {
                lose_server(trouble, backoff.lost(now));
                continue;
            }
        }
        wait.sleep(region.header, seen, done.sleep_ns());
    }
    return nullptr;
}

// Wakes the agent's thread when there is something to send or to look at.
void wake_agent() {
    ipc::Region* region = g_region.load(std::memory_order_acquire);
    if (region != nullptr && g_connected.load(std::memory_order_acquire)) ipc::ring_directive(region->header);
}

void lifeline_ended() {
    g_lifeline_ended.store(true, std::memory_order_release);
    wake_agent();
}

void* local_agent_body(void*) {
    DirectiveWait wait(g_stop);
    ipc::Header& header = g_region.load(std::memory_order_acquire)->header;
    while (!g_stop.load(std::memory_order_acquire)) {
        const uint32_t seen = header.directive.load(std::memory_order_seq_cst);
        wait.sleep(header, seen, carry_out(header, seen, g_errands).sleep_ns());
    }
    return nullptr;
}

void stop_threads() {
    if (!g_thread.started()) return;
    g_stop.store(true, std::memory_order_release);
    ipc::Header& header = g_region.load(std::memory_order_acquire)->header;
    header.directive.fetch_add(1);
    base::futex_wake_all(header.directive);
    g_thread.join();
    stop_local_scheduler();
    if (g_connected.exchange(false)) move_queues(g_private);
    g_connection.hang_up();
    g_lifeline.stop();
    g_stop.store(false, std::memory_order_release);
}

// Starts two threads: one decides, the other carries directives out with system calls, which may block.
bool start_local_threads() {
    if (!g_thread.start("xsched-agent", local_agent_body, nullptr)) return false;
    if (g_local.start(decide_locally)) return true;
    stop_threads();
    return false;
}

// Connects to a server. Without one, the agent's thread is started as well: it looks for a server.
void start_global(const char* no_thread) {
    const bool connected = connect_to_server(true);
    if (g_thread.start("xsched-agent", global_body, nullptr)) {
        if (!g_lifeline.start(g_connection, lifeline_ended))
            XLOG_DEBG("no second thread could be started: this process notices the end of a server within a second");
    } else if (connected) {
        lose_server(no_thread, false);
    }
}

// g_mutex held.
void start(XSchedulerType type, const char* policy) {
    g_wanted = type;
    g_told_unscheduled = false;
    g_start_server = false;
    const char* no_thread = "no thread could be started: this process runs unscheduled";
    if (type == kSchedulerAppManaged) {
        XLOG_INFO("using app-managed scheduler");
    } else if (type == kSchedulerLocal) {
        if (!g_local.prepare(policy, *g_private)) {
            g_wanted = kSchedulerAppManaged;
            return;
        }
        XLOG_INFO("using local scheduler with policy %s", g_local.policy_name());
        if (!start_local_threads()) XLOG_WARN("%s", no_thread);
    } else {
        start_global(no_thread);
    }
}

// The child has one thread, none of ours, free locks (base/mutex.h) and memory that it must not share with its parent.
void after_fork_in_child() {
    new (&g_thread) base::Thread;
    new (&g_lifeline) Lifeline;
    new (&g_errands) Errands;
    queue::DirectiveSleep::forget();
    g_lifeline_ended.store(false, std::memory_order_release);
    g_told_unscheduled = false;
    new (&g_local) LocalScheduler;
    g_started.store(false, std::memory_order_release);
    g_connected.store(false, std::memory_order_release);
    g_stop.store(false, std::memory_order_release);
    queue::g_local_decide.store(nullptr, std::memory_order_release);
    g_connection.close();
    if (ipc::Region* region = ipc::create_private_region(); region != nullptr) g_private = region;
    g_region.store(g_private, std::memory_order_release);
    queue::forget_driver_calls();
    for (uint32_t i = 0; i < queue::pool_size(); ++i)
        if (XQueue* queue = queue::queue_at(i)) queue->reset_after_fork(placement(i));
}

// Starts the agent, the first time in this process. The caller holds g_mutex.
void begin(XSchedulerType type, const char* policy, bool errands = false) {
    base::prepare_log();
    base::note_confinement();
    if (g_private == nullptr) g_private = ipc::create_private_region();
    if (g_private == nullptr) return;
    g_region.store(g_private, std::memory_order_release);
    queue::g_handed_over.store(wake_agent, std::memory_order_release);
    if (!g_fork_handler) g_fork_handler = pthread_atfork(nullptr, nullptr, after_fork_in_child) == 0;
    if (errands && type != kSchedulerAppManaged)
        g_errands.start();  // before the agent's thread, which hands errands
                            // over
    start(type, policy);
    g_started.store(true, std::memory_order_release);
}

}  // namespace

void ensure_started(bool errands) {
    if (g_started.load(std::memory_order_acquire)) return;
    base::Lock lock(g_mutex);
    const base::Options& options = base::options();
    if (!g_started.load(std::memory_order_acquire)) begin(options.scheduler_type, options.policy_name, errands);
}

queue::Placement placement(uint32_t index) {
    ipc::Region* region = g_region.load(std::memory_order_acquire);
    if (region == nullptr) return {};
    return {&region->header, &region->slots[index]};
}

XResult set_scheduler(XSchedulerType type, XPolicyType policy) {
    const policy::PolicyInfo* info = policy::find_policy(policy);
    if (type < kSchedulerAppManaged || type > kSchedulerGlobal) return kXSchedErrorInvalidValue;
    if (type == kSchedulerLocal && info == nullptr) return kXSchedErrorNotSupported;
    const char* const name = info != nullptr ? info->name : "HPF";
    base::Lock lock(g_mutex);
    if (!g_started.load(std::memory_order_acquire)) {  // what the environment says never comes to be
        begin(type, name);
        return g_started.load(std::memory_order_relaxed) ? kXSchedSuccess : kXSchedErrorUnknown;
    }
    stop_threads();
    for_each_queue([](XQueue& queue) { queue.forget_directive(); });
    start(type, name);
    return kXSchedSuccess;
}

XSchedulerType scheduler() {
    base::Lock lock(g_mutex);
    if (g_wanted == kSchedulerGlobal && !g_connected.load(std::memory_order_acquire)) return kSchedulerAppManaged;
    return g_wanted;
}

}  // namespace xsched::agent
