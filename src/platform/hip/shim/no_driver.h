// What our entry points do where there is no HIP runtime, or where it lacks a function. Any thread.
#pragma once

namespace xsched::hip {

// For the entry point `name`: fails as programs expect it where no device is there.
void* without_driver(const char* name);
// The runtime is older than the function.
void* without_function();

}  // namespace xsched::hip
