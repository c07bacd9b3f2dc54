// Building blocks of a device library's entries for streams (hal_abi.h, and the platform's public ones). Any thread.
#pragma once

#include "platform/stream/hal/hal_abi.h"
#include "platform/stream/hal/stream_id.h"
#include "platform/stream/hal/vendor_library.h"

namespace xsched::stream {

// Makes a HwQueue for the stream. `retain`: the program made it. It also keeps the device's primary context alive if
// the stream is in that.
XResult wrap(WrappedStream* wrapped, StreamKind kind, Stream stream, Context context, bool retain);

// Gives the vendor's functions to `act`, for a function of the public interface that makes a handle. Returns an error
// if there is no place for the handle, or no driver.
template <typename Act>
XResult with_api(const HwQueueHandle* handle, Act act) {
    if (handle == nullptr) return kXSchedErrorInvalidValue;
    const Api* api = vendor_api();
    return api != nullptr ? act(*api) : kXSchedErrorNotSupported;
}

// Releases what the platform keeps for a context that is destroyed (platform/<p>/hal/hal.cpp).
void platform_context_going(Context context);

}  // namespace xsched::stream
