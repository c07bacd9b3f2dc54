// The hooks that platforms with streams have in common, by the names that api/<p>.json has for them ("hook"). Each is a
// template over the entry point; what a function does with its arguments is told by their types.
//
//   scheduled            a command of the stream among the arguments, or of the NULL stream if there is none
//   read_back            the same; when it returns, itself and all before it are complete (plain_shapes.h)
//   upload               the same; when it returns, all before it is complete, if it copies more than 64 KiB
//   copy, read_back_copy, upload_copy   the same of copies that go in pieces while others compete (copies.h)
//   copy_batch           entry by entry (batches.h)
//   on_several           launches on several devices (launch.h)
//   stream_synchronize, stream_query, context_synchronize   waits and questions (ordered.h)
//   event_record, event_record_elsewhere, event_wait, event_destroy, event_share, event_open,
//   stream_wait_event
//   stream_create, stream_destroy
//   begin_capture, end_capture                              (capture.h)
//   node_attribute       tells of cooperative kernels in graphs (launch_attributes.h)
//   traced               only logged (trace.h)
#pragma once

#include "platform/stream/shim/batches.h"
#include "platform/stream/shim/capture.h"
#include "platform/stream/shim/copies.h"
#include "platform/stream/shim/ordered.h"
#include "platform/stream/shim/plain_shapes.h"
#include "platform/stream/shim/trace.h"

namespace xsched::stream {

template <EntryPoint kEntry>
inline constexpr auto upload = &Upload<kEntry>::call;
template <EntryPoint kEntry>
inline constexpr auto copy = &InPieces<kEntry, &Scheduled<kEntry>::call>::call;
template <EntryPoint kEntry>
inline constexpr auto read_back_copy = &InPieces<kEntry, &Scheduled<kEntry, true>::call>::call;
template <EntryPoint kEntry>
inline constexpr auto upload_copy = &InPieces<kEntry, &Upload<kEntry>::call>::call;
template <EntryPoint kEntry>
inline constexpr auto copy_batch = &InBatches<kEntry, &Scheduled<kEntry>::call>::call;
template <EntryPoint kEntry>
inline constexpr auto on_several = &OnSeveral<kEntry>::call;
template <EntryPoint kEntry>
inline constexpr auto traced = &Traced<kEntry>::call;

}  // namespace xsched::stream
