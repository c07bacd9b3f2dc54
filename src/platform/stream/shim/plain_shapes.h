// The hooks of commands that are given as they are, on every platform with streams: by the names "scheduled" and
// "read_back" of api/<p>.json, each a template over the entry point (launch.h).
#pragma once

#include "platform/stream/shim/launch.h"

namespace xsched::stream {

template <EntryPoint kEntry>
inline constexpr auto scheduled = &Scheduled<kEntry>::call;
template <EntryPoint kEntry>
inline constexpr auto read_back = &Scheduled<kEntry, true>::call;

}  // namespace xsched::stream
