// Tells a backend library whether the process's libpreempt.so is of its own build. Any thread.
#pragma once

#include "base/log.h"
#include "queue/abi/queue_abi.h"

namespace xsched::queue {

// Returns whether both have one version of the device interface. If not, logs it. `vendor` names libhal<vendor>.so.
inline bool is_same_build(const char* vendor) {
    if (xq_abi_version() == XQ_DEVICE_ABI) return true;
    XLOG_ERRO(
        "libpreempt.so speaks version %u of the device interface, libhal%s.so version %u; install both from one build",
        xq_abi_version(), vendor, XQ_DEVICE_ABI);
    return false;
}

}  // namespace xsched::queue
