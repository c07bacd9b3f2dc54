// A thread that looks after closed guards: launches whose groups wait for each other must go on (guard.h). It starts
// with the first guard that is closed over a launch, and sleeps while there is none. Any thread.
#pragma once

#include <cstdint>

namespace xsched::opencl {

class WatchedGuard {
public:
    virtual void own() {}
    virtual void disown() {}
    // Lets launches whose groups wait for each other go on. Returns whether there may be such launches.
    virtual bool look_for_mutual(int64_t /*now_ns*/) { return false; }

    WatchedGuard* next_watched = nullptr;  // guarded by the watcher's lock, with `watched`
    bool watched = false;

protected:
    ~WatchedGuard() = default;
};

// `guard` has launches and is closed.
void watch_guard(WatchedGuard& guard);

}  // namespace xsched::opencl
