// Functions of OpenCL extensions that enqueue, or make a queue. No library exports them: a program asks for them by
// name and gets a driver's own address, one per driver. Any thread.
#pragma once

namespace xsched::opencl {

// Our function in place of the driver's one of that name. nullptr: none of ours, or more drivers than we tell apart.
void* extension_hook(const char* name, void* driver);

}  // namespace xsched::opencl
