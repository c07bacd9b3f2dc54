// Functions of OpenCL extensions that enqueue, or make a queue. No library exports them: a program asks for them by
// name and gets a driver's own address, one per driver. Any thread. Defined in
// extension_hooks.cpp, beside the table of hooks, of which the function that asks is one.
#pragma once

namespace xsched::opencl {

// Returns our function in place of the driver's one of that name; nullptr: we have none, or there are more drivers than
// we tell apart.
void* extension_hook(const char* name, void* driver);

// Returns our function for a program that asked for `name` and would get `driver`; `driver` itself if there is no hook.
void* ours_instead(void* driver, const char* name);

inline const char* name_in(const char* name) { return name; }
inline const char* name_in(const void*) { return nullptr; }

}  // namespace xsched::opencl
