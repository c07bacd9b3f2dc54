// The log's lines at DEBUG about single OpenCL calls. Callers ask log_enabled first: nothing here is cheap.
#pragma once

#include <cstdio>
#include <type_traits>

#include "base/log.h"
#include "platform/opencl/shim/entry_points.h"

namespace xsched::opencl {

void trace_kernel(const char* function, cl_kernel kernel, cl_command_queue queue);

// One call as text: "clCreateBuffer(0x55d0, 1, 4096, (nil), 0x7ffc) = 0x55e0".
class CallText {
public:
    explicit CallText(const char* function);
    void argument(const void* value);
    void argument(unsigned long long value);
    void result(const void* value);
    void result(long long value);
    void write() const;

private:
    template <typename... Values>
    void append(const char* format, Values... values);

    char text_[256];
    size_t length_ = 0;
    bool first_ = true;
    bool closed_ = false;
};

// Calls the driver and, at DEBUG, writes the call with its arguments and result.
template <typename Callee, typename Function = typename Callee::Type>
struct Traced;

template <typename Callee, typename Result, typename... Arguments>
struct Traced<Callee, Result(CL_API_CALL*)(Arguments...)> {
    static Result CL_API_CALL call(Arguments... arguments) {
        if (!base::log_enabled(base::LogLevel::kDebug)) [[likely]]
            return Callee::driver()(arguments...);
        CallText text(Callee::kName);
        (add(text, arguments), ...);
        if constexpr (std::is_void_v<Result>) {
            text.write();
            Callee::driver()(arguments...);
        } else {
            Result result = Callee::driver()(arguments...);
            if constexpr (std::is_pointer_v<Result>)
                text.result(static_cast<const void*>(result));
            else
                text.result(static_cast<long long>(result));
            text.write();
            return result;
        }
    }

private:
    template <typename Argument>
    static void add(CallText& text, Argument argument) {
        if constexpr (std::is_function_v<std::remove_pointer_t<Argument>>)
            text.argument(reinterpret_cast<const void*>(argument));
        else if constexpr (std::is_pointer_v<Argument>)
            text.argument(static_cast<const void*>(argument));
        else
            text.argument(static_cast<unsigned long long>(argument));
    }
};

}  // namespace xsched::opencl
