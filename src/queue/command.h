// Commands of the C API (HwCommandCreateCallback), by handle: made once, submitted once, waited for, destroyed.
// Any thread.
#pragma once

#include "queue/xqueue.h"
#include "xsched/xqueue.h"

namespace xsched::queue {

XResult create_callback_command(HwCommandHandle* handle, XLaunchCallback launch, void* data);
XResult destroy_command(HwCommandHandle handle);
XResult submit_command(XQueue& queue, HwCommandHandle handle);
// Launches it on this thread, past any XQueue.
XResult launch_command(HwQueueHandle hwq, HwCommandHandle handle);
XResult wait_command(HwCommandHandle handle);
// The device reports that a command with a token of its own is done.
void complete_command(XqToken token);
void reset_commands_after_fork();

}  // namespace xsched::queue
