// The path of one command: a template that fits every function that puts work into a stream. The function's own
// signature tells which stream. On the caller's thread. The driver is called with the program's own arguments, so
// order, events and errors are the driver's.
#pragma once

#include <new>
#include <type_traits>

#include "base/hot.h"
#include "base/log.h"
#include "platform.h"
#include "platform/stream/shim/capture.h"
#include "platform/stream/shim/command.h"
#include "platform/stream/shim/copy_bytes.h"
#include "platform/stream/shim/launch_attributes.h"
#include "platform/stream/shim/trace.h"

namespace xsched::stream {

// --- which stream a call is for: the argument of type Stream, or that of a launch configuration; else the NULL stream
inline Stream stream_in() { return nullptr; }
template <typename First, typename... Rest>
Stream stream_in(First first, Rest... rest) {
    if constexpr (std::is_same_v<First, Stream>)
        return first;
    else if constexpr (kIsLaunchConfig<First>)
        return first != nullptr ? stream_of_config(*first) : nullptr;
    else
        return stream_in(rest...);
}

// Returns whether a call makes its stream wait. With other arguments: the function always does.
template <typename... Arguments>
constexpr bool is_wait(Arguments...) {
    return true;
}
// Returns whether a batch of value operations contains a wait. Each operation is a union of six 64-bit words that
// begins with its kind; CUDA and HIP use the same numbers.
template <typename Anything>
bool is_wait(Anything, unsigned count, void* batch, unsigned) {
    constexpr int kWaitValue32 = 1;
    constexpr int kWaitValue64 = 4;
    struct Operation {
        int kind;
        alignas(8) char rest[40];
    };
    static_assert(sizeof(Operation) == 48);
    const auto* operations = static_cast<const Operation*>(batch);
    for (unsigned i = 0; operations != nullptr && i < count; ++i)
        if (operations[i].kind == kWaitValue32 || operations[i].kind == kWaitValue64) return true;
    return false;
}

// Returns whether all blocks of the kernel start together: because of the function, of the launch's attributes, or
// perhaps within a graph.
template <EntryPoint kEntry, typename... Arguments>
bool is_cooperative(Arguments... arguments) {
    if constexpr (kTraits<kEntry>.cooperative)
        return true;
    else if constexpr (kTraits<kEntry>.graph)
        return graphs_may_be_cooperative();
    else if constexpr (kHasAttributes<Arguments...>)
        return (says_cooperative(arguments) || ...);
    else
        return false;
}

// Called before the driver's call. A keep-alive could occupy the place of one of the blocks, so it ends. A captured
// launch runs when its graph does.
template <EntryPoint kEntry>
void note_cooperative(const Launch& launch, Stream stream) {
    const KeepErrno keep;
    if (kSharesHardware && launch.entry() != nullptr)
        launch.entry()->cooperative.store(true, std::memory_order_relaxed);
    if (asks_capturing(stream, Declared<kEntry>::kPerThread)) return note_cooperative_graph();
    xq_about_to(nullptr, kXqCooperative);
}

// Notes the events among a launch's attributes. They may complete before the launch, so they tell nothing about the
// queue; but a stream that waits for one waits for this queue.
template <typename... Arguments>
void note_events(const Launch& launch, Arguments... arguments) {
    bool any = false;
    const auto note = [&](Event event) {
        const KeepErrno keep;
        QueueMark mark = launch.mark();
        mark.mark = 0;
        event_recorded(event, mark);
        any = true;
    };
    (for_each_event(arguments, note), ...);
    if (any) launch.report();
}

// Calls the driver's function as a command. kCompletes: when it returns, it and everything before it are complete.
template <EntryPoint kEntry, bool kCompletes = false, typename Function = typename Declared<kEntry>::Type>
struct Scheduled;

template <EntryPoint kEntry, bool kCompletes, typename... Arguments>
struct Scheduled<kEntry, kCompletes, Result (*)(Arguments...)> {
    XSCHED_HOT static Result call(Arguments... arguments) {
        const Stream stream = stream_in(arguments...);
        if (base::log_enabled(base::LogLevel::kDebug)) [[unlikely]]
            trace_launch<kEntry>(kernel_in(arguments...), stream, arguments...);
        constexpr Traits kIs = kTraits<kEntry>;
        const bool cooperative = is_cooperative<kEntry>(arguments...);
        const bool wide = kIs.graph || cooperative;
        LaunchKind kind = wide ? LaunchKind::kWide : LaunchKind::kWork;
        if constexpr (kIs.stands)
            if (is_wait(arguments...)) kind = LaunchKind::kWait;
        WatchedLaunch launch(stream, Declared<kEntry>::kPerThread, kind);
        if (cooperative) [[unlikely]]
            note_cooperative<kEntry>(launch, stream);
        if constexpr (kIsCopy<kEntry>) launch.note_copy(bytes_of_copy<kEntry>(arguments...));
        QueueMark mark;
        if constexpr (kCompletes) {
            mark = launch.mark();
            launch.end_keep_alive();
        } else if constexpr (kIsCopy<kEntry>) {
            launch.follow_keep_alive();
        }
        const Result code = call_driver(launch, arguments...);
        if constexpr (kIs.waits) launch.report_later();
        launch.returned(code);
        if constexpr (kHasAttributes<Arguments...>)
            if (code == kSuccess) note_events(launch, arguments...);
        if constexpr (kCompletes)
            if (code == kSuccess) completed_up_to(mark);
        return code;
    }

private:
    XSCHED_HOT static Result call_driver(const Launch& launch, Arguments... arguments) {
        // Any copy may block in the driver until the queue's work is complete: the driver copies pageable memory
        // synchronously, even in functions named Async.
        if constexpr (kCompletes || kIsCopy<kEntry>) {
            const Waits waits(launch.xqueue());
            return driver<kEntry>()(arguments...);
        } else {
            return driver<kEntry>()(arguments...);
        }
    }
    static Kernel kernel_in() { return nullptr; }
    template <typename First, typename... Rest>
    static Kernel kernel_in(First first, Rest... rest) {
        if constexpr (std::is_same_v<First, Kernel>)
            return first;
        else
            return kernel_in(rest...);
    }
};

// Hooks a copy from the host that returns when its source may be overwritten. For pageable memory the driver has then
// waited for the stream and taken all of it; for pinned memory the copy is done. The driver takes small copies without
// waiting.
template <EntryPoint kEntry, typename Function = typename Declared<kEntry>::Type>
struct Upload;

template <EntryPoint kEntry, typename To, typename From, typename Bytes>
struct Upload<kEntry, Result (*)(To, From, Bytes)> {
    static Result call(To to, From from, Bytes bytes) {
        constexpr uint64_t kTakenAlong = uint64_t{64} * 1024;
        QueueMark before;
        if (bytes > kTakenAlong) {
            const KeepErrno keep;
            before = mark_of(known_entry_of(nullptr, Declared<kEntry>::kPerThread));
        }
        const Result code = Scheduled<kEntry>::call(to, from, bytes);
        const KeepErrno keep;
        if (code == kSuccess) completed_up_to(before);
        return code;
    }
};

// Hooks a launch on several devices: each is a command of its own stream.
template <EntryPoint kEntry, typename Function = typename Declared<kEntry>::Type>
struct OnSeveral;

template <EntryPoint kEntry, typename Parameters, typename Count>
struct OnSeveral<kEntry, Result (*)(Parameters*, Count, unsigned)> {
    static Result call(Parameters* list, Count count, unsigned flags) {
        constexpr unsigned kMost = 64;  // devices; the driver takes one launch per device
        const auto number = static_cast<unsigned>(count);
        if (list == nullptr || number > kMost) return driver<kEntry>()(list, count, flags);
        if constexpr (kTraits<kEntry>.cooperative) xq_about_to(nullptr, kXqCooperative);
        alignas(Launch) unsigned char places[kMost][sizeof(Launch)];
        for (unsigned i = 0; i < number; ++i) {
            const Stream stream = stream_of_launch(list[i]);
            if (base::log_enabled(base::LogLevel::kDebug)) [[unlikely]]
                trace_command(Declared<kEntry>::kName, kernel_of_launch(list[i]), stream);
            new (&places[i]) Launch(stream, false);
        }
        const Result code = driver<kEntry>()(list, count, flags);
        for (unsigned i = 0; i < number; ++i) std::launder(reinterpret_cast<Launch*>(&places[i]))->returned(code);
        return code;
    }
};

}  // namespace xsched::stream
