#include "platform/opencl/shim/trace.h"

#include <algorithm>

namespace xsched::opencl {

void trace_kernel(const char* function, cl_kernel kernel, cl_command_queue queue) {
    char name[256] = {};
    if (kernel == nullptr ||
        below<kEntry_clGetKernelInfo>()(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, nullptr) != CL_SUCCESS)
        std::snprintf(name, sizeof name, "?");
    XLOG_DEBG("%s of kernel '%s' on queue %p", function, name, static_cast<void*>(queue));
}

CallText::CallText(const char* function) { append("%s(", function); }

template <typename... Values>
void CallText::append(const char* format, Values... values) {
    const int written = std::snprintf(text_ + length_, sizeof text_ - length_, format, values...);
    if (written > 0) length_ = std::min(length_ + static_cast<size_t>(written), sizeof text_ - 1);
}

void CallText::argument(const void* value) {
    append(first_ ? "%p" : ", %p", value);
    first_ = false;
}

void CallText::argument(unsigned long long value) {
    append(first_ ? "%llu" : ", %llu", value);
    first_ = false;
}

void CallText::result(const void* value) {
    append(") = %p", value);
    closed_ = true;
}

void CallText::result(long long value) {
    append(") = %lld", value);
    closed_ = true;
}

void CallText::write() const { XLOG_DEBG("%s%s", text_, closed_ ? "" : ")"); }

}  // namespace xsched::opencl
