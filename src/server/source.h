// The meaning of an event loop's token: the kind in its upper half, an id in the lower.
#pragma once

#include <cstdint>

namespace xsched::server {

enum class Source : uint32_t {
    kListener = 1,
    kSignals,
    kUndertaker,
    kKeepingOff,
    kNewcomer,
    kWelcomed,
    kClient,
    kClientEnd,
    kTool,
    kExpected
};

inline uint64_t token(Source source, uint32_t id = 0) { return uint64_t{static_cast<uint32_t>(source)} << 32 | id; }

}  // namespace xsched::server
