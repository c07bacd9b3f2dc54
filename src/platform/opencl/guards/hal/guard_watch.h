// A thread that looks after closed guards: launches whose groups wait for each other must go on (guard.h). It starts
// with the first guard that is closed over a launch, and sleeps while there is none. Any thread.
#pragma once

namespace xsched::opencl {

class Guard;

// `guard` has launches and is closed.
void watch_guard(Guard& guard);

}  // namespace xsched::opencl
