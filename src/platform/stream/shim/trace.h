// The log's lines at DEBUG about single calls of the driver. Callers ask log_enabled first: nothing here is cheap.
#pragma once

#include <cstdio>
#include <string_view>
#include <type_traits>

#include "base/log.h"
#include "base/options.h"
#include "platform.h"
#include "platform/stream/shim/address.h"
#include "platform/stream/shim/early.h"
#include "platform/stream/shim/freeing.h"
#include "platform/stream/shim/keep_errno.h"
#include "platform/stream/shim/streams.h"

namespace xsched::stream {

// Logs a command, for example "cuLaunchKernel of 'matmul' on stream 0x55d0 (command 17 created)"; without a kernel the
// part in the middle is left out. The logged commands of a process are numbered. `host_function`: the host function
// that stands for the kernel, if the call names the kernel by it.
void trace_command(const char* function, Kernel kernel, Stream stream, const void* host_function = nullptr);

constexpr bool names_host_function(std::string_view entry) {
    return entry.find("LaunchKernel") != std::string_view::npos ||
           entry.find("CooperativeKernel") != std::string_view::npos;
}

// Returns the launch's first argument of type const void*: the host function that stands for the kernel. Null: it has
// none.
inline const void* host_function_in() { return nullptr; }
template <typename First, typename... Rest>
const void* host_function_in(First first, Rest... rest) {
    if constexpr (std::is_same_v<First, const void*>)
        return first;
    else
        return host_function_in(rest...);
}

// Logs a launch by trace_command.
template <EntryPoint kEntry, typename... Arguments>
void trace_launch(Kernel kernel, Stream stream, Arguments... arguments) {
    const void* function = nullptr;
    if constexpr (names_host_function(Declared<kEntry>::kName)) function = host_function_in(arguments...);
    trace_command(Declared<kEntry>::kName, kernel, stream, function);
}

// One call as text: "cuMemAlloc_v2(0x7ffc10, 4096) = 0, 0x7f5e00000000".
class CallText {
public:
    explicit CallText(const char* function);
    void argument(unsigned long long value, bool hexadecimal);
    // Adds the driver's answer, and the value that it wrote to its first argument.
    void result(Result code, unsigned long long made);
    void write() const { XLOG_DEBG("%s", text_); }

private:
    void append(const char* format, unsigned long long value);

    char text_[256];
    size_t length_ = 0;
    bool first_ = true;
};

constexpr bool allocates(std::string_view entry) {
    return entry.find("Alloc") != std::string_view::npos || entry.find("Malloc") != std::string_view::npos;
}

// Returns whether the driver waits in this call for all work of the context (docs/decisions/013), and so also for a
// keep-alive.
constexpr bool frees(std::string_view entry) {
    return entry == "cuMemFree" || entry == "cuMemFree_v2" || entry == "hipFree";
}

// Calls the driver and, at DEBUG, writes the call with its arguments and result.
template <EntryPoint kEntry, typename Function = typename Declared<kEntry>::Type>
struct Traced;

template <EntryPoint kEntry, typename... Arguments>
struct Traced<kEntry, Result (*)(Arguments...)> {
    static Result call(Arguments... arguments) {
        if constexpr (frees(Declared<kEntry>::kName)) return freed(arguments...);
        const Result code = traced(arguments...);
        if constexpr (allocates(Declared<kEntry>::kName))
            if (code == kSuccess) note_allocated();
        return code;
    }

private:
    static void note_allocated() {
        device_used();
        if (known_early()) [[unlikely]]
            memory_allocated();
    }
    template <typename Address>
    static Result freed(Address memory) {
        int64_t scrubs_ns = 0;
        {
            const KeepErrno keep;
            scrubs_ns = wait_to_free(address_in(memory));
            if (base::options().free_ends_keep_alive != 0) frees_device_memory();
        }
        const Result code = traced(memory);
        note_freed(scrubs_ns);
        return code;
    }
    static Result traced(Arguments... arguments) {
        if (!base::log_enabled(base::LogLevel::kDebug)) [[likely]]
            return driver<kEntry>()(arguments...);
        CallText text(Declared<kEntry>::kName);
        (add(text, arguments), ...);
        const Result code = driver<kEntry>()(arguments...);
        text.result(code, code == kSuccess ? made_by(arguments...) : 0);
        text.write();
        return code;
    }
    template <typename Argument>
    static void add(CallText& text, Argument argument) {
        if constexpr (std::is_pointer_v<Argument>)
            text.argument(reinterpret_cast<uintptr_t>(argument), true);
        else if constexpr (std::is_class_v<Argument>)
            text.argument(sizeof argument, false);  // its bytes: the log has no structures
        else
            text.argument(argument, false);
    }
    // Returns the address or handle that an allocation stored through its first argument.
    template <typename First, typename... Rest>
    static unsigned long long made_by(First first, Rest...) {
        if constexpr (std::is_same_v<First, unsigned long long*> || std::is_same_v<First, unsigned*>)
            return first != nullptr ? *first : 0;
        else if constexpr (std::is_pointer_v<std::remove_pointer_t<First>>)
            return first != nullptr ? reinterpret_cast<uintptr_t>(*first) : 0;
        else
            return 0;
    }
};

}  // namespace xsched::stream
