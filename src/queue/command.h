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
// Launches the command on this thread, outside any XQueue.
XResult launch_command(HwQueueHandle hwq, HwCommandHandle handle);
// Waits for the command. Returns InvalidValue if it was submitted to another queue.
XResult wait_command(XQueue& queue, HwCommandHandle handle);
// Notes the device's report that a command with its own token is done.
void complete_command(XqToken token);

}  // namespace xsched::queue
