// Commands that HIP alone has: launches with events of their own, the launch in three calls, and copies whose direction
// is an argument. On the caller's thread.
#pragma once

#include "platform/hip/shim/platform.h"
#include "platform/stream/shim/launch.h"

namespace xsched::hip {

using stream::Declared;
using stream::driver;
using stream::EntryPoint;
using stream::QueueMark;
using stream::WatchedLaunch;

// hipExtLaunchKernel and its like: a kernel between two event records.
template <EntryPoint kEntry, typename Function = typename Declared<kEntry>::Type>
struct WithEvents;

template <EntryPoint kEntry, typename... Arguments>
struct WithEvents<kEntry, hipError_t (*)(Arguments...)> {
    static hipError_t call(Arguments... arguments) {
        const hipStream_t queue = stream::stream_in(arguments...);
        if (base::log_enabled(base::LogLevel::kDebug)) [[unlikely]]
            stream::trace_launch<kEntry>(nullptr, queue, arguments...);
        WatchedLaunch launch(queue, false);
        const QueueMark mark = launch.mark();
        const hipError_t code = driver<kEntry>()(arguments...);
        launch.returned(code);
        const stream::KeepErrno keep;
        if (code == hipSuccess && (record(arguments, mark) | ...)) launch.report();
        return code;
    }

private:
    template <typename Argument>
    static bool record(Argument argument, const QueueMark& mark) {
        if constexpr (std::is_same_v<Argument, hipEvent_t>) {
            if (argument != nullptr) stream::event_recorded(argument, mark);
            return argument != nullptr;
        } else {
            return false;
        }
    }
};

// Hooks a synchronous copy. When the call returns, the copy is complete if it goes to the host, or if the function
// always waits (kAlways).
template <EntryPoint kEntry, bool kAlways = false, typename Function = typename Declared<kEntry>::Type>
struct Copied;

template <EntryPoint kEntry, bool kAlways, typename... Arguments>
struct Copied<kEntry, kAlways, hipError_t (*)(Arguments...)> {
    static hipError_t call(Arguments... arguments) {
        if (kAlways || (to_host(arguments) | ...)) return stream::Scheduled<kEntry, true>::call(arguments...);
        return stream::Scheduled<kEntry>::call(arguments...);
    }

private:
    template <typename Argument>
    static bool to_host(Argument argument) {
        if constexpr (std::is_same_v<Argument, hipMemcpyKind>)
            return argument == hipMemcpyDeviceToHost;
        else
            return false;
    }
};

template <EntryPoint kEntry>
inline constexpr auto with_events = &WithEvents<kEntry>::call;
template <EntryPoint kEntry>
inline constexpr auto copied = &Copied<kEntry>::call;

// hipConfigureCall, hipSetupArgument, hipLaunchByPtr: the first names the stream, the last launches. (launch.cpp)
void call_configured(hipStream_t stream);
hipStream_t take_configured();

template <EntryPoint kEntry>
hipError_t configure_call(dim3 grid, dim3 block, size_t shared_bytes, hipStream_t stream) {
    const hipError_t code = driver<kEntry>()(grid, block, shared_bytes, stream);
    if (code == hipSuccess) call_configured(stream);
    return code;
}

template <EntryPoint kEntry>
hipError_t launch_by_pointer(const void* function) {
    const hipStream_t queue = take_configured();
    if (base::log_enabled(base::LogLevel::kDebug)) [[unlikely]]
        stream::trace_command(Declared<kEntry>::kName, nullptr, queue, function);
    WatchedLaunch launch(queue, false);
    const hipError_t code = driver<kEntry>()(function);
    launch.returned(code);
    return code;
}

// Hooks a function without a result, so that its success is not known.
template <EntryPoint kEntry>
void launch_with_references(uintptr_t function, const dim3& grid, const dim3& block, uint32_t shared_bytes,
                            hipStream_t queue, void** arguments) {
    if (base::log_enabled(base::LogLevel::kDebug)) [[unlikely]]
        stream::trace_command("hipLaunchKernelGGLImpl", nullptr, queue, reinterpret_cast<const void*>(function));
    WatchedLaunch launch(queue, false);
    driver<kEntry>()(function, grid, block, shared_bytes, queue, arguments);
    launch.returned(hipSuccess);
}

}  // namespace xsched::hip
