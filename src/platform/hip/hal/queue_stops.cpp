#include "platform/hip/hal/queue_stops.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/clock.h"
#include "base/confinement.h"
#include "base/log.h"
#include "base/options.h"

namespace xsched::hip {
namespace {

using namespace kfd;

// Suspensions in a row for which the driver lacks a queue, before it counts as refusing. A queue that is just being
// destroyed makes for one or two; more mean that queues go where their calls are not seen.
constexpr uint32_t kMostMisses = 3;
// A call that takes longer ends level 3. The hardware saves a queue in well below 10 ms. After 9 s without an answer of
// its command processor the kernel resets the GPU, and all programs on it end (amdgpu.queue_preemption_timeout_ms).
constexpr int64_t kMostCallNs = base::kSecond;
// A call to resume that fails is made this many times in all, with this pause in between. (A GPU that is being reset
// makes such calls fail at once, and for longer.)
constexpr int kResumeTries = 3;
constexpr long kResumePauseNs = 10 * base::kMillisecond;

constexpr uint32_t bit_of(Way way) { return 1u << static_cast<uint32_t>(way); }

// Records that the debugger has let go of all queues that it had suspended.
void note_detached() {
    for (unsigned i = 0; i < g_process.count; ++i) {
        if (g_process.queues[i].stopped_by != Way::kDebugger) continue;
        g_process.queues[i].stopped_by = Way::kNone;
        g_stopped.fetch_sub(1, std::memory_order_relaxed);
    }
}

void give_up_debugger(int error, unsigned count) {
    note_detached();
    g_process.refused |= bit_of(Way::kDebugger);
    XLOG_WARN(
        "%u queues could not be resumed by DBG_TRAP of the kernel driver (%s): the process stopped debugging "
        "itself, which resumes all of its queues; this way is not used any more",
        count, strerror(error));
}

void give_up_all(Way way, int error) {
    if (std::exchange(g_process.refused, kAllWays) == kAllWays) return;  // it is tried again, and was said before
    XLOG_WARN(
        "a queue could not be resumed by %s of the kernel driver (%s): that is tried again; level 3 is not used "
        "any more",
        name_of(way), strerror(error));
}

// Makes a call that switches queues, and logs how long it took. Returns the call's result.
template <typename Call>
int timed(Way way, unsigned queues, const char* what, Call call) {
    const int64_t began = base::now_ns();
    const int error = call();
    const int64_t took_ns = base::now_ns() - began;
    ++g_process.calls;
    XLOG_DEBG("%u queues %s by %s in %lld us (%s)", queues, what, name_of(way),
              static_cast<long long>(took_ns / base::kMicrosecond), error == 0 ? "done" : "it failed");
    if (took_ns < kMostCallNs || std::exchange(g_process.refused, kAllWays) == kAllWays) return error;
    XLOG_WARN(
        "a call of %s of the kernel driver took %lld ms, after %u such calls: the GPU's command processor hardly "
        "answers, and the kernel resets the GPU when it does not for 9 s. Level 3 is not used any more",
        name_of(way), static_cast<long long>(took_ns / base::kMillisecond), g_process.calls);
    return error;
}

// Returns whether no further call may be made for these queues: a call that fails with EFAULT leaves a lock of the
// driver's held, and the next one would wait for ever. Masks are excepted: the driver reads them before it takes a
// lock.
bool is_fatal(Way way, int error) { return error == EFAULT && way != Way::kMask; }

void note_resumed(Kept& kept) {
    kept.stopped_by = Way::kNone;
    g_stopped.fetch_sub(1, std::memory_order_relaxed);
}

// Resumes the queues that the debugger suspended and that are to go on.
void resume_as_debugger(const bool* go_on) {
    Process& process = g_process;
    Queue queues[kMostQueues];
    unsigned count = 0;
    for (unsigned i = 0; i < process.count; ++i) {
        if (!go_on[i] || process.queues[i].stopped_by != Way::kDebugger) continue;
        queues[count++] = as_known(process.queues[i]);
        note_resumed(process.queues[i]);
    }
    if (count == 0) return;
    ++process.resumes;
    const int error = timed(Way::kDebugger, count, "resumed",
                            [&] { return resume(Way::kDebugger, kernel_call(), process.debugger, queues, count); });
    if (error != 0) give_up_debugger(error, count);
}

int resume_one(Way way, const Queue& queue) {
    const auto once = [&] { return resume(way, kernel_call(), g_process.debugger, &queue, 1); };
    int error = timed(way, 1, "resumed", once);
    for (int tries = 1; error != 0 && !is_fatal(way, error) && tries < kResumeTries; ++tries) {
        const timespec pause{0, kResumePauseNs};
        nanosleep(&pause, nullptr);
        error = timed(way, 1, "resumed", once);
    }
    return error;
}

// Resumes queues by the other ways, each in its own call. A queue that cannot be resumed stays stopped; it is tried
// again with the next change, and now and then while the program makes no progress (queue/stop/hardware_stop.h).
void resume_each(const bool* go_on) {
    Process& process = g_process;
    for (unsigned i = 0; i < process.count; ++i) {
        Kept& kept = process.queues[i];
        const Way way = kept.stopped_by;
        if (!go_on[i] || way == Way::kNone || way == Way::kDebugger) continue;
        ++process.resumes;
        if (const int error = resume_one(way, as_known(kept)); error == 0)
            note_resumed(kept);
        else
            give_up_all(way, error);
    }
}

// Returns the ways that cannot be used because the process is in a sandbox and can open no files, as bits: each mask
// looks at the GPU's shape, and a debugger begins with a descriptor.
uint32_t out_of_reach() {
    if (!base::entered_sandbox()) return 0;
    return bit_of(Way::kMask) | (g_process.debugger.attached ? 0 : bit_of(Way::kDebugger));
}

void note_refused(Way way, int error, unsigned count) {
    if (error == kQueueMissing) error = ESRCH;
    g_process.refused |= is_fatal(way, error) ? kAllWays : bit_of(way);
    const Way next = best_way(count, out_of_question());
    XLOG_INFO("the kernel driver refuses to suspend %u queues of this process by %s (%s); %s%s", count, name_of(way),
              strerror(error),
              next != Way::kNone     ? "the next way is "
              : is_fatal(way, error) ? "no way is tried after that"
                                     : "it has no other",
              next != Way::kNone ? name_of(next) : "");
}

void note_stopped(Kept& kept, Way way) {
    kept.stopped_by = way;
    g_stopped.fetch_add(1, std::memory_order_relaxed);
}

int suspend_as_debugger(const bool* stop) {
    Process& process = g_process;
    Queue queues[kMostQueues];
    unsigned count = 0;
    for (unsigned i = 0; i < process.count; ++i)
        if (stop[i]) queues[count++] = as_known(process.queues[i]);
    const int error = timed(Way::kDebugger, count, "suspended",
                            [&] { return suspend(Way::kDebugger, kernel_call(), process.debugger, queues, count); });
    if (!process.debugger.attached) note_detached();
    for (unsigned i = 0; i < process.count && error == 0; ++i)
        if (stop[i]) note_stopped(process.queues[i], Way::kDebugger);
    return error;
}

int suspend_each(Way way, const bool* stop) {
    Process& process = g_process;
    bool done[kMostQueues] = {};
    for (unsigned i = 0; i < process.count; ++i) {
        if (!stop[i]) continue;
        const Queue queue = as_known(process.queues[i]);
        const auto call = [&] { return suspend(way, kernel_call(), process.debugger, &queue, 1); };
        if (const int error = timed(way, 1, "suspended", call); error != 0) {
            resume_each(done);
            return error;
        }
        note_stopped(process.queues[i], way);
        done[i] = true;
    }
    return 0;
}

}  // namespace

void say_refused(const char* why) {
    static constinit std::atomic<bool> said{false};
    if (!said.exchange(true)) XLOG_INFO("no preempt level 3 for HIP: %s; its streams use level 2 or 1", why);
}

// Returns the ways that are not possible: refused or unavailable ones, and all but the chosen one. The way by few
// compute units is only for users who chose it; if the driver refuses it, the others are tried.
uint32_t out_of_question() {
    const char* chosen = base::options().hip_interrupt;
    const Way way = way_of(chosen);
    static constinit std::atomic<bool> said{false};
    if (*chosen != '\0' && way == Way::kNone && !said.exchange(true))
        XLOG_WARN("XSCHED_HIP_INTERRUPT=%s is none of debug, update, preempt and mask: the best way is taken", chosen);
    const uint32_t refused = g_process.refused | out_of_reach();
    if (way == Way::kMask) return refused;
    return refused | (way != Way::kNone ? kAllWays & ~bit_of(way) : bit_of(Way::kMask));
}

void resume_those(const bool* go_on) {
    const int64_t began = base::now_ns();
    resume_as_debugger(go_on);
    resume_each(go_on);
    if (std::count(go_on, go_on + g_process.count, true) != 0) g_process.call_times.add_on(base::now_ns() - began);
}

XResult suspend_those(const bool* stop) {
    Process& process = g_process;
    const auto count = static_cast<unsigned>(std::count(stop, stop + process.count, true));
    while (!process.incomplete) {
        const Way way = best_way(count, out_of_question());
        if (way == Way::kNone) break;
        if (count == 0) return kXSchedSuccess;
        const int64_t began = base::now_ns();
        const int error = way == Way::kDebugger ? suspend_as_debugger(stop) : suspend_each(way, stop);
        process.misses = error == kQueueMissing ? process.misses + 1 : 0;
        if (error == kQueueMissing && process.misses < kMostMisses) return kXSchedErrorNotAllowed;  // for this time
        if (error == 0) {
            process.call_times.add_off(base::now_ns() - began);
            return kXSchedSuccess;
        }
        note_refused(way, error, count);
    }
    say_refused(process.incomplete ? "the process has more queues than can be kept track of"
                                   : "the kernel driver refuses every way of suspending its queues");
    return kXSchedErrorNotSupported;
}

}  // namespace xsched::hip
