// Functions that put no work into a stream but keep or tell its order: synchronize, query, events, creation and
// destruction of streams. Templates, with one instance for each form of a function. The driver does all of it; XSched
// only learns what has completed, and which stream waits for which.
#pragma once

#include <type_traits>

#include "base/log.h"
#include "platform/stream/shim/capture.h"
#include "platform/stream/shim/early.h"
#include "platform/stream/shim/events.h"
#include "platform/stream/shim/launch.h"
#include "platform/stream/shim/streams.h"

namespace xsched::stream {

// Marks of all queues of a context (nullptr: the current one), taken before a wait for all of them. (ordered.cpp)
class ContextMarks {
public:
    XSCHED_HOT explicit ContextMarks(Context context);
    // Waits for all of the context's work with a keep-alive that keeps the device meanwhile, if only one of its
    // queues has work. Returns false if the caller must make the driver's call instead.
    XSCHED_HOT bool wait_and_keep_alive() const;
    XSCHED_HOT void completed() const;
    // Call before and after the driver's call.
    void wait_begins() const;
    void wait_ended() const;

private:
    StreamEntry* only_one_with_work() const;

    static constexpr unsigned kMost = 64;  // those beyond report themselves
    union {
        QueueMark marks_[kMost];  // nothing beyond count_ is ever written
    };
    unsigned count_ = 0;
};

// --- keep-alive (queue/alive/keep_alive.h): a kernel of ours behind the program's work, which the program must not
// notice. Replaces a call that waits for all of the stream's work; false: the call must be made.
XSCHED_HOT bool wait_and_keep_alive(StreamEntry* entry);
// Call before a call that waits for an event in the stream.
void keep_alive_behind(StreamEntry* entry);
// Call before any other call that queries or waits for the stream.
void end_keep_alive(StreamEntry* entry);
// Returns whether the driver says "not ready" only because of a keep-alive, which the program must not see.
bool only_keep_alive_pending(StreamEntry* entry);

// `rest`: a time limit, if the function has one.
template <EntryPoint kEntry, typename... Rest>
XSCHED_HOT Result stream_synchronize(Stream stream, Rest... rest) {
    XLOG_DEBG("%s of stream %p", Declared<kEntry>::kName, static_cast<void*>(stream));
    QueueMark mark;
    bool done = false;
    {
        const KeepErrno keep;
        mark = mark_of(known_entry_of(stream, Declared<kEntry>::kPerThread));
    }
    const Waits waits(mark.entry);
    {
        const KeepErrno keep;
        done = wait_and_keep_alive(mark.entry);
    }
    const Result code = done ? kSuccess : driver<kEntry>()(stream, rest...);
    const KeepErrno keep;
    if (code == kSuccess) completed_up_to(mark);
    return code;
}

template <EntryPoint kEntry>
Result stream_query(Stream stream) {
    QueueMark mark;
    StreamEntry* entry = nullptr;
    {
        const KeepErrno keep;
        entry = known_entry_of(stream, Declared<kEntry>::kPerThread);
        mark = mark_of(entry);
        end_keep_alive(entry);
    }
    const Result code = driver<kEntry>()(stream);
    const KeepErrno keep;
    if (code == kNotReady && only_keep_alive_pending(entry)) return kSuccess;
    if (code == kSuccess) completed_up_to(mark);
    return code;
}

// `arguments`: the context, otherwise the current one is meant, or a time limit.
template <EntryPoint kEntry, typename... Arguments>
XSCHED_HOT Result context_synchronize(Arguments... arguments) {
    XLOG_DEBG("%s", Declared<kEntry>::kName);
    Context which = nullptr;
    [[maybe_unused]] const auto note = [&](auto value) {
        if constexpr (std::is_same_v<decltype(value), Context>) which = value;
    };
    (note(arguments), ...);
    const ContextMarks marks(which);
    bool done = false;
    {
        const KeepErrno keep;
        marks.wait_begins();
        done = marks.wait_and_keep_alive();
    }
    const Result code = done ? kSuccess : driver<kEntry>()(arguments...);
    const KeepErrno keep;
    marks.wait_ended();
    if (code == kSuccess) marks.completed();
    return code;
}

// Hooks records and waits. They take a place in the driver's queue as launches do, so they count as commands: otherwise
// many of them behind a closed gate would fill that queue.
template <EntryPoint kEntry, typename... Flags>
Result event_record(Event event, Stream stream, Flags... flags) {
    WatchedLaunch launch(stream, Declared<kEntry>::kPerThread, LaunchKind::kMarker);
    const QueueMark mark = launch.mark();
    const Result code = driver<kEntry>()(event, stream, flags...);
    launch.returned(code);
    const KeepErrno keep;
    if (code != kSuccess) return code;
    event_recorded(event, mark);
    launch.report();
    return code;
}

template <EntryPoint kEntry, typename Place>
Result event_record_elsewhere(Place context, Event event) {
    const Result code = driver<kEntry>()(context, event);
    if (code == kSuccess) event_recorded(event, {});
    return code;
}

// Hooks a synchronize, or a query that says yes.
template <EntryPoint kEntry, typename... Rest>
Result event_wait(Event event, Rest... rest) {
    const QueueMark mark = last_record(event);
    {
        const KeepErrno keep;
        if constexpr (kTraits<kEntry>.question)
            end_keep_alive(mark.entry);
        else
            keep_alive_behind(mark.entry);
    }
    const Waits waits(kTraits<kEntry>.question ? nullptr : mark.entry);
    const Result code = driver<kEntry>()(event, rest...);
    const KeepErrno keep;
    if (code == kSuccess) completed_up_to(mark);
    return code;
}

template <EntryPoint kEntry>
Result event_destroy(Event event) {
    forget_event(event);
    return driver<kEntry>()(event);
}

// Hooks functions that name an event for other processes, or open one of such a name.
template <EntryPoint kEntry, typename Name>
Result event_share(Name* name, Event event) {
    const Result code = driver<kEntry>()(name, event);
    const KeepErrno keep;
    if (code == kSuccess && name != nullptr) event_shared(event, name, sizeof(Name));
    return code;
}

template <EntryPoint kEntry, typename Name>
Result event_open(Event* event, Name name) {
    const Result code = driver<kEntry>()(event, name);
    const KeepErrno keep;
    if (code == kSuccess && event != nullptr) event_shared(*event, &name, sizeof(Name));
    return code;
}

template <EntryPoint kEntry, typename... Rest>
Result stream_wait_event(Stream stream, Event event, Rest... rest) {
    WatchedLaunch launch(stream, Declared<kEntry>::kPerThread, LaunchKind::kMarker, event);
    producer_inherits(launch.entry(), event);
    Result code = kSuccess;
    if (!may_be_captured()) {
        code = driver<kEntry>()(stream, event, rest...);
    } else {
        const Paused paused;  // a stream that waits for a captured one is captured from here on
        code = driver<kEntry>()(stream, event, rest...);
    }
    launch.returned(code);
    return code;
}

// `properties`: how the stream was created; if they are flags and a priority, these come last.
template <typename... Properties>
int priority_in(Properties... properties) {
    int priority = 0;
    [[maybe_unused]] const auto note = [&](auto value) {
        if constexpr (std::is_same_v<decltype(value), int>) priority = value;
    };
    (note(properties), ...);
    return priority;
}
template <typename... Properties>
void log_created(Stream stream, int priority, Properties... properties) {
    unsigned flags = 0;
    [[maybe_unused]] const auto note = [&](auto value) {
        if constexpr (std::is_same_v<decltype(value), unsigned>) flags = value;
    };
    (note(properties), ...);
    XLOG_DEBG("stream %p created with flags 0x%x, priority %d", static_cast<void*>(stream), flags, priority);
}

template <EntryPoint kEntry, typename... Properties>
Result stream_create(Stream* stream, Properties... properties) {
    const Result code = driver<kEntry>()(stream, properties...);
    const KeepErrno keep;
    if (code != kSuccess || stream == nullptr) return code;
    log_created(*stream, priority_in(properties...), properties...);
    stream_created(*stream, priority_in(properties...));
    stream_made();
    return code;
}

template <EntryPoint kEntry, typename... Rest>
Result stream_destroy(Stream stream, Rest... rest) {
    XLOG_DEBG("%s of stream %p", Declared<kEntry>::kName, static_cast<void*>(stream));
    {
        const KeepErrno keep;
        stream_going(stream);
    }
    return driver<kEntry>()(stream, rest...);
}

}  // namespace xsched::stream
