#include "platform/stream/shim/trace.h"

#include <algorithm>
#include <atomic>

namespace xsched::stream {
namespace {

constinit std::atomic<unsigned long long> g_commands{0};

}  // namespace

void trace_command(const char* function, Kernel kernel, Stream stream, const void* host_function) {
    const char* name = kernel != nullptr          ? kernel_name(kernel)
                       : host_function != nullptr ? host_function_name(host_function, stream)
                                                  : nullptr;
    const void* const unnamed = kernel != nullptr ? static_cast<const void*>(kernel) : host_function;
    const unsigned long long number = g_commands.fetch_add(1, std::memory_order_relaxed) + 1;
    const void* const queue = stream;
    if (name != nullptr)
        XLOG_DEBG("%s of '%s' on stream %p (command %llu created)", function, name, queue, number);
    else if (unnamed != nullptr)
        XLOG_DEBG("%s of kernel %p on stream %p (command %llu created)", function, unnamed, queue, number);
    else
        XLOG_DEBG("%s on stream %p (command %llu created)", function, queue, number);
}

CallText::CallText(const char* function) {
    const int written = std::snprintf(text_, sizeof text_, "%s(", function);
    length_ = std::min(static_cast<size_t>(std::max(written, 0)), sizeof text_ - 1);
}

void CallText::append(const char* format, unsigned long long value) {
    const int written = std::snprintf(text_ + length_, sizeof text_ - length_, format, value);
    if (written > 0) length_ = std::min(length_ + static_cast<size_t>(written), sizeof text_ - 1);
}

void CallText::argument(unsigned long long value, bool hexadecimal) {
    if (!first_) append(", ", 0);
    append(hexadecimal ? "0x%llx" : "%llu", value);
    first_ = false;
}

void CallText::result(Result code, unsigned long long made) {
    append(") = %llu", static_cast<unsigned long long>(code));
    if (made != 0) append(", 0x%llx", made);
}

}  // namespace xsched::stream
