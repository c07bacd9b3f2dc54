#include "agent/agent.h"

#include <pthread.h>
#include <unistd.h>

#include <new>

#include "agent/carry_out.h"
#include "agent/directive_wait.h"
#include "agent/served.h"
#include "agent/state.h"
#include "base/confinement.h"
#include "base/log.h"
#include "base/options.h"
#include "ipc/region.h"
#include "policy/policy.h"
#include "queue/driver_calls.h"
#include "queue/memory/device_memories.h"
#include "queue/path/directive_sleep.h"
#include "queue/stop/handover.h"

namespace xsched::agent {
namespace {

using queue::XQueue;

base::Mutex g_mutex;  // held while the scheduler changes, never by a queue's launch path
std::atomic<bool> g_started{false};
XSchedulerType g_wanted = kSchedulerAppManaged;
base::Thread g_thread;  // carries out directives; never calls a vendor's driver
bool g_fork_handler = false;

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
    if (start_local_scheduler()) return true;
    stop_threads();
    return false;
}

// Connects to a server. Without one, the agent's thread is started as well: it looks for a server.
void start_global(const char* no_thread) {
    const bool connected = connect_to_server(true);
    if (g_thread.start("xsched-agent", served_body, nullptr)) {
        if (!g_lifeline.start(g_connection, lifeline_ended))
            XLOG_DEBG("no second thread could be started: this process notices the end of a server within a second");
    } else if (connected) {
        lose_server(no_thread, false);
    }
}

// g_mutex held.
void start(XSchedulerType type, const char* policy) {
    g_wanted = type;
    begin_unserved();
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

// Starts the agent's state again in a forked child, which has one thread and none of XSched's. Locks are free there
// (base/mutex.h); memory shared with the parent's server must not be used.
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
    queue::forget_memory();
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
