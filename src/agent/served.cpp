#include "agent/served.h"

#include <algorithm>
#include <utility>

#include "agent/backoff.h"
#include "agent/carry_out.h"
#include "agent/connection_log.h"
#include "agent/decision_log.h"
#include "agent/directive_wait.h"
#include "agent/heartbeat.h"
#include "agent/server_start.h"
#include "agent/state.h"
#include "base/clock.h"
#include "base/confinement.h"
#include "base/log.h"
#include "base/options.h"
#include "base/time.h"
#include "queue/stop/handover.h"

namespace xsched::agent {
namespace {

using queue::XQueue;

constexpr int64_t kServerStartNs = 3 * base::kSecond;
constexpr int64_t kServerStartLookNs = 5 * base::kMillisecond;

bool g_told_brief = false;  // set once the log has told that servers are lost as soon as they connect
bool g_start_server = false;  // the agent's thread is to start one

// Logs that this process stays with what it has: its sandbox may end the process at its next connection to a server.
void stay_in_sandbox() {
    g_told_unscheduled = true;
    say_sandbox();
}

// Starts the local scheduler, which keeps this process's queues in order until a server answers. Logs `why`.
void schedule_alone(const char* why) {
    if (g_local.prepare(base::options().policy_name, *g_private) && start_local_scheduler())
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

}  // namespace

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

void begin_unserved() {
    g_told_unscheduled = false;
    g_start_server = false;
}

void* served_body(void*) {
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

void wake_agent() {
    ipc::Region* region = g_region.load(std::memory_order_acquire);
    if (region != nullptr && g_connected.load(std::memory_order_acquire)) ipc::ring_directive(region->header);
}

}  // namespace xsched::agent
