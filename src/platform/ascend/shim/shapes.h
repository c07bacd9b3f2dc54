// Ascend's hooks, by the names that api/ascend.json has for them ("hook"):
//
//   scheduled            a command of the stream among the arguments, or of the default stream if there is none
//   read_back            the same; when it returns, itself and all before it are complete (stream/shim/plain_shapes.h)
//   marker               a place in stream order (below)
//   stream_destroy, stream_synchronize, stream_query, context_synchronize, event_record, event_wait, event_destroy,
//   stream_wait_event
//                        (stream/shim/ordered.h)
//   ask_stream, ask_event   questions that are answered by a status (questions.h)
//   begin_capture, end_capture   (stream/shim/capture.h)
//   create_stream, bind_stream, unbind_stream   (model_streams.h)
//   set_device, create_context, destroy_context, reset_device, finalize   (contexts.h)
#pragma once

#include "platform/ascend/shim/contexts.h"
#include "platform/ascend/shim/model_streams.h"
#include "platform/ascend/shim/questions.h"
#include "platform/stream/shim/from_program.h"
#include "platform/stream/shim/ordered.h"
#include "platform/stream/shim/plain_shapes.h"

namespace xsched::stream {

template <EntryPoint kEntry>
Result marker(Event event, Stream stream) {
    Launch launch(stream, false, LaunchKind::kMarker);
    const Result code = driver<kEntry>()(event, stream);
    launch.returned(code);
    return code;
}

using ascend::ask_event;
using ascend::ask_stream;
using ascend::bind_stream;
using ascend::create_context;
using ascend::create_stream;
using ascend::destroy_context;
using ascend::finalize;
using ascend::reset_device;
using ascend::set_device;
using ascend::unbind_stream;

}  // namespace xsched::stream
