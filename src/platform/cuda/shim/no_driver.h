// What our entry points do where there is no CUDA driver, or where it lacks a function. Any thread.
#pragma once

namespace xsched::cuda {

// For the entry point `name`: fails as cuInit does where there is no device. Programs never see the half of a driver.
void* without_driver(const char* name);
// The driver is older than the function.
void* without_function();

}  // namespace xsched::cuda
