// The life of contexts. Before a context is destroyed its queues are, with open gates: otherwise the driver would wait
// for work that no scheduler would resume. Any thread.
#pragma once

#include "base/log.h"
#include "platform/cuda/shim/platform.h"
#include "platform/stream/shim/early.h"
#include "platform/stream/shim/streams.h"

namespace xsched::cuda {

using stream::Declared;
using stream::driver;
using stream::EntryPoint;

// Call before the driver destroys the context.
void context_going(CUcontext context);
// Note that the driver gave out, or is about to take back, a reference to a device's primary context.
void primary_retained(CUdevice device, CUcontext context);
void primary_releasing(CUdevice device);
void primary_resetting(CUdevice device);
// Returns the context under which the driver knows a green context's streams.
CUcontext context_of_green(CUgreenCtx green);

template <EntryPoint kEntry>
CUresult context_destroy(CUcontext context) {
    XLOG_DEBG("%s of context %p", Declared<kEntry>::kName, static_cast<void*>(context));
    context_going(context);
    return driver<kEntry>()(context);
}

template <EntryPoint kEntry>
CUresult green_context_destroy(CUgreenCtx green) {
    XLOG_DEBG("%s of context %p", Declared<kEntry>::kName, static_cast<void*>(green));
    context_going(context_of_green(green));
    return driver<kEntry>()(green);
}

template <EntryPoint kEntry>
CUresult primary_retain(CUcontext* context, CUdevice device) {
    const CUresult code = driver<kEntry>()(context, device);
    if (code == CUDA_SUCCESS && context != nullptr) primary_retained(device, *context);
    if (code == CUDA_SUCCESS) stream::device_used();
    return code;
}

template <EntryPoint kEntry, typename... Properties>
CUresult context_create(CUcontext* context, Properties... properties) {
    const CUresult code = driver<kEntry>()(context, properties...);
    if (code == CUDA_SUCCESS) stream::device_used();
    return code;
}

template <EntryPoint kEntry>
CUresult primary_release(CUdevice device) {
    XLOG_DEBG("%s of device %d", Declared<kEntry>::kName, device);
    primary_releasing(device);
    return driver<kEntry>()(device);
}

template <EntryPoint kEntry>
CUresult primary_reset(CUdevice device) {
    XLOG_DEBG("%s of device %d", Declared<kEntry>::kName, device);
    primary_resetting(device);
    return driver<kEntry>()(device);
}

}  // namespace xsched::cuda
