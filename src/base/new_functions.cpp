#include "base/new_functions.h"

#include <atomic>

#include "base/log.h"

namespace xsched::base {
namespace {

constinit std::atomic<bool> g_told{false};

}  // namespace

void tell_new_function(const char* name) {
    if (name == nullptr) return;
    if (!looks_like_work(name) || g_told.exchange(true, std::memory_order_relaxed)) {
        XLOG_DEBG("%s: a function of this driver that is not known here", name);
        return;
    }
    XLOG_WARN(
        "the program, or a library of it, has asked the driver for %s, which this version of XSched does not know: "
        "what "
        "such functions put on the device goes unscheduled ('xcli doctor' names all of them)",
        name);
}

}  // namespace xsched::base
