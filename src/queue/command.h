// Commands of the C API (HwCommandCreateCallback), by handle: made once, submitted once, waited for, destroyed.
// On gated devices a command takes the path of a native call, so that it keeps its place among them. It is launched
// on its submitter's thread, and complete when a synchronize says so. Any thread.
#pragma once

#include "queue/xqueue.h"
#include "xsched/xqueue.h"

namespace xsched::queue {

XResult create_callback_command(HwCommandHandle* handle, LaunchCallback launch, void* data);
XResult destroy_command(HwCommandHandle handle);
XResult submit_command(XQueue& queue, HwCommandHandle handle);
// Launches it on this thread, past any XQueue.
XResult launch_command(HwQueueHandle hwq, HwCommandHandle handle);
// InvalidValue: it was submitted to another queue.
XResult wait_command(XQueue& queue, HwCommandHandle handle);
// The device reports that a command with a token of its own is done.
void complete_command(XqToken token);

}  // namespace xsched::queue
