#include "platform/stream/shim/streams.h"

#include <new>

#include "base/fork.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/options.h"
#include "base/pointer_map.h"
#include "platform.h"
#include "platform/stream/shim/capture.h"
#include "platform/stream/shim/sharing.h"
#include "platform/stream/shim/thread_streams.h"
#include "xsched/xqueue.h"

namespace xsched::stream {

constinit std::atomic<StreamEntry*> g_all_entries{nullptr};

namespace {

enum State : uint32_t {
    kNew,        // never used
    kPreparing,  // a thread of this process (preparing) is making its XQueue; others wait
    kReady,      // `xqueue` is final until the stream goes
    kUnmanaged   // XSCHED_AUTO_XQUEUE=OFF: scheduled once the program makes an XQueue for it
};

// Returns the state "a thread prepares this entry", which contains the fork generation. A forked child sees another
// generation, so it knows that the preparing thread does not exist there, and prepares the entry itself.
uint32_t preparing() { return kPreparing | base::fork_generation() << 2; }

using Map = base::PointerMap<StreamEntry>;
constinit Map g_streams;   // ordinary streams, by handle
constinit Map g_legacy;    // legacy default streams, by context
constinit base::Mutex g_streams_mutex;  // guards creation and the spare list
constinit StreamEntry* g_spare_entry = nullptr;
constinit std::atomic<uint32_t> g_queues{0};
// Set if queues of different priorities may exist in this process: only then can a queue be held up by one that it
// waits for.
constinit std::atomic<bool> g_mixed{false};
constinit std::atomic<int32_t> g_first_priority{INT32_MIN};
constinit std::atomic<bool> g_some_unscheduled{false};

// g_streams_mutex held.
StreamEntry* new_entry(StreamKind kind, Stream stream, Context context) {
    StreamEntry* entry = g_spare_entry;
    if (entry != nullptr) {
        g_spare_entry = entry->next_spare;
    } else {
        entry = new (std::nothrow) StreamEntry;
        if (entry == nullptr) return nullptr;
        entry->next = g_all_entries.load(std::memory_order_relaxed);
        g_all_entries.store(entry, std::memory_order_release);
    }
    entry->kind.store(kind, std::memory_order_relaxed);
    entry->stream.store(stream, std::memory_order_relaxed);
    entry->context.store(context, std::memory_order_relaxed);
    entry->blocking.store(false, std::memory_order_relaxed);
    entry->hardware.forget();
    entry->cooperative.store(false, std::memory_order_relaxed);
    entry->state.store(kNew, std::memory_order_release);
    return entry;
}

// Ends the entry of a stream that is gone; no thread can find it any more. g_streams_mutex not held.
void end_entry(StreamEntry& entry) {
    entry.serial.fetch_add(1, std::memory_order_acq_rel);
    XqQueue* xqueue = entry.xqueue.exchange(nullptr, std::memory_order_acq_rel);
    if (xqueue != nullptr) {
        g_queues.fetch_sub(1, std::memory_order_relaxed);
        // An XQueue that the program made itself is ended too, since its stream ends here. A thread that is ending must
        // not call the driver any more, so its stream gets no last report.
        const bool per_thread = entry.kind.load(std::memory_order_relaxed) == StreamKind::kPerThread;
        xq_retire(xqueue, per_thread ? kXqNoLastReport : kXqLastReport);
        if (kSharesHardware && several_priorities())  // those that still share one find out at their next command
            for_each_entry([](const StreamEntry& other) {
                if (XqQueue* left = other.xqueue.load(std::memory_order_acquire)) xq_end_sharing(left);
            });
    }
    base::Lock lock(g_streams_mutex);
    entry.next_spare = g_spare_entry;
    g_spare_entry = &entry;
}

// Ends an entry of a thread that ends.
void end_thread_entry(StreamEntry& entry) {
    if constexpr (kThreadStreamsEndFirst) {
        XqQueue* xqueue = entry.xqueue.load(std::memory_order_acquire);
        if (xqueue != nullptr) xq_sync_end(xqueue, xq_sync_begin(xqueue));
    }
    end_entry(entry);
}

// Ends a wrapper that the program made but that no launch used: it must not be taken for that of a later stream at this
// address.
void end_program_made(Stream stream) {
    HwQueueHandle hwq = 0;
    XQueueHandle handle = 0;
    if (hal_find(&hwq, static_cast<uint32_t>(StreamKind::kOrdinary), stream, nullptr) != kXSchedSuccess) return;
    if (XQueueGet(&handle, hwq) == kXSchedSuccess)
        xq_retire(xq_from_handle(handle), kXqLastReport);
    else
        HwQueueDestroy(hwq);
}

XSCHED_HOT StreamEntry* find(StreamKind kind, Stream stream, Context context) {
    if (kind == StreamKind::kOrdinary) return g_streams.find(stream);
    if (context == nullptr) return nullptr;
    return kind == StreamKind::kLegacy ? g_legacy.find(context) : find_thread_stream(context);
}

// Adds an entry to the map. Returns false if there is no memory, or the thread uses too many contexts. g_streams_mutex
// held.
bool publish(StreamKind kind, Stream stream, Context context, StreamEntry* entry) {
    if (kind == StreamKind::kOrdinary) return g_streams.insert(stream, entry);
    if (kind == StreamKind::kLegacy) return g_legacy.insert(context, entry);
    return add_thread_stream(entry, end_thread_entry);
}

// Returns the entry of a stream that several threads may see for the first time at once.
StreamEntry* entry_for(StreamKind kind, Stream stream, Context context) {
    base::Lock lock(g_streams_mutex);
    StreamEntry* entry = find(kind, stream, context);
    if (entry != nullptr) return entry;
    entry = new_entry(kind, stream, context);
    if (entry != nullptr && !publish(kind, stream, context, entry)) {
        entry->next_spare = g_spare_entry;
        g_spare_entry = entry;
        entry = nullptr;
    }
    return entry;
}

// Returns the XQueue that the program itself made over its own wrapper of the stream.
XqQueue* program_made(const StreamEntry& entry, XQueueHandle* handle) {
    HwQueueHandle hwq = 0;
    if (hal_find(&hwq, static_cast<uint32_t>(entry.kind.load(std::memory_order_relaxed)),
                 entry.stream.load(std::memory_order_relaxed),
                 entry.context.load(std::memory_order_relaxed)) != kXSchedSuccess)
        return nullptr;
    return XQueueGet(handle, hwq) == kXSchedSuccess ? xq_from_handle(*handle) : nullptr;
}

// Notes that queues of unequal urgency may exist.
void note_priority(int32_t priority) {
    int32_t first = INT32_MIN;
    if (!g_first_priority.compare_exchange_strong(first, priority) && first != priority) g_mixed.store(true);
}

// Tells the device library what is learned about the stream.
[[maybe_unused]] void follow_hardware(const StreamEntry& entry) {
    HwQueueHandle hwq = 0;
    const auto kind = static_cast<uint32_t>(entry.kind.load(std::memory_order_relaxed));
    if (hal_find(&hwq, kind, entry.stream.load(std::memory_order_relaxed),
                 entry.context.load(std::memory_order_relaxed)) == kXSchedSuccess)
        follow_use(hwq, entry.hardware);
}

State prepare(StreamEntry& entry) {
    XQueueHandle handle = 0;
    XqQueue* xqueue = program_made(entry, &handle);
    if (xqueue == nullptr) {
        if (!base::options().auto_xqueue_on) return kUnmanaged;
        const auto kind = static_cast<uint32_t>(entry.kind.load(std::memory_order_relaxed));
        Stream stream = entry.stream.load(std::memory_order_relaxed);
        Context context = entry.context.load(std::memory_order_relaxed);
        WrappedStream wrapped{};
        XResult result = hal_wrap(&wrapped, kind, stream, context);
        const bool ours = result == kXSchedSuccess;  // and not the program's
        if (result == kXSchedErrorNotAllowed) result = hal_find(&wrapped.hwq, kind, stream, context);
        if (result != kXSchedSuccess) {
            XLOG_WARN("stream %p is not scheduled: it could not be wrapped (status %d)", static_cast<void*>(stream),
                      result);
            return kReady;
        }
        xqueue = xq_auto_create(wrapped.hwq, wrapped.priority);
        if (XQueueGet(&handle, wrapped.hwq) != kXSchedSuccess) xqueue = nullptr;
        if (xqueue == nullptr && ours) HwQueueDestroy(wrapped.hwq);
        entry.blocking.store(wrapped.blocking, std::memory_order_relaxed);
        entry.priority.store(wrapped.priority, std::memory_order_relaxed);
        note_priority(wrapped.priority);
    } else {
        entry.blocking.store(entry.kind.load() != StreamKind::kLegacy &&
                             stream_blocks(*hal_api(), entry.stream.load(std::memory_order_relaxed)));
        entry.priority.store(stream_priority(*hal_api(), entry.stream.load(std::memory_order_relaxed)));
        g_mixed.store(true);  // the program sets priorities itself
    }
    if (xqueue != nullptr) g_queues.fetch_add(1, std::memory_order_relaxed);
    if constexpr (kSharesHardware) follow_hardware(entry);
    entry.handle.store(handle, std::memory_order_relaxed);
    entry.xqueue.store(xqueue, std::memory_order_release);
    return kReady;
}

// Gives the entry another XQueue, after the program destroyed it.
void renew(StreamEntry& entry, XqQueue* gone) {
    if (!entry.xqueue.compare_exchange_strong(gone, nullptr, std::memory_order_acq_rel)) return;
    g_queues.fetch_sub(1, std::memory_order_relaxed);
    entry.serial.fetch_add(1, std::memory_order_acq_rel);
    entry.state.store(kNew, std::memory_order_release);
}

// Makes sure that the stream has an XQueue, and returns its entry; nullptr if the stream is not scheduled.
XSCHED_HOT StreamEntry* prepared(StreamEntry& entry) {
    for (;;) {
        uint32_t state = entry.state.load(std::memory_order_acquire);
        XQueueHandle handle = 0;
        XqQueue* xqueue = entry.xqueue.load(std::memory_order_acquire);
        if (state == kReady && xqueue == nullptr) return nullptr;
        if (state == kReady && xq_from_handle(entry.handle.load(std::memory_order_relaxed)) == xqueue) return &entry;
        if (state == kReady) {
            renew(entry, xqueue);
            continue;
        }
        if (state == preparing()) {
            base::futex_wait(entry.state, state);
            continue;
        }
        if (state == kUnmanaged && program_made(entry, &handle) == nullptr) return nullptr;
        if (!entry.state.compare_exchange_strong(state, preparing(), std::memory_order_acq_rel)) continue;
        entry.state.store(prepare(entry), std::memory_order_release);
        base::futex_wake_all(entry.state);
    }
}

StreamEntry* first_use(StreamKind kind, Stream stream, Context context) {
    if (kind == StreamKind::kOrdinary) {
        context = context_of_stream(stream);
        if (context == nullptr) context = current_context(*hal_api());
    }
    StreamEntry* entry = context != nullptr ? entry_for(kind, stream, context) : nullptr;
    return entry != nullptr ? prepared(*entry) : nullptr;
}

// Takes the entries of a context out of every map; returns them as a list.
StreamEntry* take_entries_of(Context context) {
    StreamEntry* taken = nullptr;
    const auto take = [&](StreamEntry* entry) {
        entry->next_spare = taken;
        taken = entry;
    };
    base::Lock lock(g_streams_mutex);
    for (StreamEntry* entry = g_all_entries.load(); entry != nullptr; entry = entry->next)
        if (entry->context.load() == context && entry->kind.load() == StreamKind::kOrdinary &&
            g_streams.find(entry->stream.load()) == entry) {
            g_streams.erase(entry->stream.load());
            take(entry);
        }
    if (StreamEntry* entry = g_legacy.erase(context)) take(entry);
    while (StreamEntry* entry = take_thread_stream(context)) take(entry);
    return taken;
}

}  // namespace

StreamEntry* entry_of(Stream stream, bool per_thread) {
    const StreamKind kind = kind_of(stream, per_thread);
    Context context = kind == StreamKind::kOrdinary ? nullptr : current_context(*hal_api());
    StreamEntry* entry = find(kind, stream, context);
    entry = entry != nullptr ? prepared(*entry) : first_use(kind, stream, context);
    if (entry == nullptr) [[unlikely]]
        g_some_unscheduled.store(true, std::memory_order_relaxed);
    return entry;
}

StreamEntry* known_entry_of(Stream stream, bool per_thread) {
    const StreamKind kind = kind_of(stream, per_thread);
    StreamEntry* entry = find(kind, stream, kind == StreamKind::kOrdinary ? nullptr : current_context(*hal_api()));
    return entry != nullptr && entry->xqueue.load(std::memory_order_acquire) != nullptr ? entry : nullptr;
}

void stream_created(Stream stream, int priority) {
    stream_going(stream);
    if constexpr (kSharesHardware) count_created(stream, current_context(*hal_api()), -priority);
}

void stream_going(Stream stream) {
    if (kind_of(stream, false) != StreamKind::kOrdinary) return;  // the driver refuses these
    forget_captured(stream, false);
    if constexpr (kSharesHardware) count_gone(stream);
    StreamEntry* entry = g_streams.erase(stream);
    if (entry != nullptr) end_entry(*entry);
    end_program_made(stream);
}

void context_going(Context context) {
    if (context == nullptr) return;
    forget_captures_of(context);
    for (StreamEntry* entry = take_entries_of(context); entry != nullptr;) {
        StreamEntry* next = entry->next_spare;
        end_entry(*entry);
        entry = next;
    }
    hal_context_going(context);
}

bool several_queues() { return g_queues.load(std::memory_order_relaxed) > 1; }

bool some_are_unscheduled() { return g_some_unscheduled.load(std::memory_order_relaxed); }

bool several_priorities() { return g_mixed.load(std::memory_order_relaxed); }

void frees_device_memory() { xq_about_to(nullptr, kXqFree); }

// Returns whether queues have different priorities by now: one may have been set since (XHintPriority, xcli hint).
static bool finds_several_priorities() {
    int32_t first = PRIORITY_NO_EXECUTE;
    for_each_entry([&](const StreamEntry& entry) {
        XqQueue* xqueue = entry.xqueue.load(std::memory_order_acquire);
        const int32_t priority = xqueue != nullptr ? xq_priority(xqueue) : PRIORITY_NO_EXECUTE;
        if (priority == PRIORITY_NO_EXECUTE) return;
        if (first != PRIORITY_NO_EXECUTE && priority != first) g_mixed.store(true, std::memory_order_relaxed);
        first = priority;
    });
    return several_priorities();
}

void depend_implicitly(StreamEntry& entry) {
    constexpr uint32_t kOneIn = 16;  // launches
    if (!several_priorities() &&
        (entry.looks.fetch_add(1, std::memory_order_relaxed) % kOneIn != 0 || !finds_several_priorities()))
        return;
    XqQueue* consumer = entry.xqueue.load(std::memory_order_acquire);
    if (consumer == nullptr) return;
    Context context = entry.context.load(std::memory_order_relaxed);
    const bool legacy = entry.kind.load(std::memory_order_relaxed) == StreamKind::kLegacy;
    const bool blocking = entry.blocking.load(std::memory_order_relaxed);
    if (!legacy && !blocking && !kSharesHardware) return;
    for_each_entry([&](const StreamEntry& other) {
        if (&other == &entry || other.context.load(std::memory_order_relaxed) != context) return;
        const bool waited_for = (legacy && other.blocking.load(std::memory_order_relaxed)) ||
                                (blocking && other.kind.load(std::memory_order_relaxed) == StreamKind::kLegacy);
        XqQueue* producer = other.xqueue.load(std::memory_order_acquire);
        if (producer == nullptr) return;
        if (waited_for) xq_inherit_priority(consumer, producer);
        if constexpr (kSharesHardware)
            if (may_share(entry, other)) {
                xq_share_hardware(consumer, producer);
                xq_stand_before(consumer, producer);
            }
    });
}

}  // namespace xsched::stream
