#include "platform/stream/shim/capture.h"

namespace xsched::stream {

constinit std::atomic<int32_t> g_captures{0};

bool asks_capturing(Stream stream, bool per_thread) {
    const OwnCalls own(*hal_api());
    return asks_capturing(*hal_api(), plain_handle(stream, per_thread));
}

}  // namespace xsched::stream
