#include "platform/stream/shim/capture.h"

#include <sched.h>

#include "base/clock.h"
#include "base/mutex.h"
#include "platform/stream/shim/thread_streams.h"

namespace xsched::stream {

constinit std::atomic<uint32_t> g_may_be_captured{0};

namespace {

constinit std::atomic<int32_t> g_splits{0};
constinit std::atomic<uint32_t> g_begins{0};  // captures that are beginning
// Longest time that a capture that begins waits for the pieces of other threads' copies. Without this bound the capture
// would wait for as long as a more urgent program keeps such a copy suspended.
constexpr int64_t kSplitWaitNs = 2 * base::kSecond;  // safety

// Identifies a thread by the address of this variable.
[[gnu::tls_model("initial-exec")]] thread_local const char t_self = 0;

struct Seen {
    Stream stream = nullptr;  // nullptr: none here
    const void* thread = nullptr;  // whose, of a per-thread default stream
    Context context = nullptr;
};

// Most captured streams that are noted, to bound memory. Launches on watched queues ask the driver about others.
constexpr unsigned kMostSeen = 64;
constinit base::Mutex g_seen_mutex;  // a leaf: the driver is not called under it
constinit Seen g_seen[kMostSeen]{};

Seen seen_of(Stream stream, bool per_thread) {
    Seen seen{.stream = plain_handle(stream, per_thread)};
    if (kind_of(seen.stream, false) == StreamKind::kPerThread) seen.thread = &t_self;
    return seen;
}

// g_seen_mutex held.
Seen* find(const Seen& wanted) {
    for (Seen& each : g_seen)
        if (each.stream == wanted.stream && each.thread == wanted.thread) return &each;
    return nullptr;
}

template <typename Goes>
void forget_if(Goes goes) {
    if (g_may_be_captured.load(std::memory_order_seq_cst) == 0) return;
    base::Lock lock(g_seen_mutex);
    for (Seen& each : g_seen) {
        if (each.stream == nullptr || !goes(each)) continue;
        each = {};
        g_may_be_captured.fetch_sub(1, std::memory_order_seq_cst);
    }
}

// Forgets the default streams of the calling thread, which ends.
void forget_captures_of_thread() {
    forget_if([](const Seen& each) { return each.thread == &t_self; });
}

// Returns whether a stream is still captured. A stream that the driver no longer knows is not.
bool still_captured(const Seen& seen) {
    if (seen.thread != nullptr && seen.thread != &t_self) return true;  // only its own thread can ask
    const Api& api = *hal_api();
    const OwnCalls own(api);
    int status = kNotCapturing;
    return capture_status(api, seen.stream, &status) == kSuccess && status != kNotCapturing;
}

}  // namespace

bool asks_capturing(Stream stream, bool per_thread) {
    const OwnCalls own(*hal_api());
    return asks_capturing(*hal_api(), plain_handle(stream, per_thread));
}

void note_captured(Stream stream, bool per_thread) {
    Seen seen = seen_of(stream, per_thread);
    if (seen.stream == nullptr) return;  // the legacy stream is never captured itself
    if (seen.thread != nullptr && !follow_thread_end(forget_captures_of_thread)) return;
    {
        const OwnCalls own(*hal_api());
        seen.context = seen.thread != nullptr ? current_context(*hal_api()) : context_of_stream(seen.stream);
    }
    base::Lock lock(g_seen_mutex);
    if (find(seen) != nullptr) return;
    Seen* const place = find({});
    if (place == nullptr) return;
    *place = seen;
    g_may_be_captured.fetch_add(1, std::memory_order_seq_cst);
}

void forget_captured(Stream stream, bool per_thread) {
    const Seen gone = seen_of(stream, per_thread);
    forget_if([&gone](const Seen& each) { return each.stream == gone.stream && each.thread == gone.thread; });
}

void forget_captures_of(Context context) {
    forget_if([context](const Seen& each) { return each.context == context; });
}

bool asks_some_captured() {
    if (g_begins.load(std::memory_order_seq_cst) != 0) return true;
    Seen seen[kMostSeen];
    {
        base::Lock lock(g_seen_mutex);
        for (unsigned i = 0; i < kMostSeen; ++i) seen[i] = g_seen[i];
    }
    for (const Seen& each : seen) {
        if (each.stream == nullptr) continue;
        if (still_captured(each)) return true;
        forget_if([&each](const Seen& other) { return other.stream == each.stream && other.thread == each.thread; });
    }
    return false;
}

bool launch_asks_capturing(Stream stream, bool per_thread) {
    if (asks_capturing(stream, per_thread)) return true;
    if (g_begins.load(std::memory_order_seq_cst) == 0) forget_captured(stream, per_thread);
    return false;
}

CaptureBegins::CaptureBegins() {
    g_may_be_captured.fetch_add(1, std::memory_order_seq_cst);
    g_begins.fetch_add(1, std::memory_order_seq_cst);
}

CaptureBegins::~CaptureBegins() {
    g_begins.fetch_sub(1, std::memory_order_seq_cst);
    g_may_be_captured.fetch_sub(1, std::memory_order_seq_cst);
}

bool split_begins() {
    g_splits.fetch_add(1, std::memory_order_seq_cst);
    if (g_may_be_captured.load(std::memory_order_seq_cst) == 0 || !asks_some_captured()) return true;
    split_over();
    return false;
}

void split_over() { g_splits.fetch_sub(1, std::memory_order_seq_cst); }

void wait_for_splits() {
    if (g_splits.load(std::memory_order_seq_cst) == 0) return;
    const int64_t end = base::now_ns() + kSplitWaitNs;
    while (g_splits.load(std::memory_order_seq_cst) != 0 && base::now_ns() < end) sched_yield();
}

}  // namespace xsched::stream
