// Finds the dlsym behind the shim's own one (dlsym.S), for the platforms' code that answers dlsym. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace xsched::stream {

using Dlsym = void* (*)(void* library, const char* name);

// The answer of xsched_dlsym to dlsym.S.
struct DlsymAnswer {
    const void* address;
    uintptr_t given;  // 0: the dlsym behind us is to answer
};

}  // namespace xsched::stream

// The function to which dlsym.S jumps. The platform's dlsym.cpp defines it.
extern "C" std::atomic<xsched::stream::Dlsym> xsched_next_dlsym;

namespace xsched::stream {

// Finds the dlsym of the next library, which may be a profiler's or another shim's. Before glibc 2.34 a program may
// have no dlsym behind ours; the linker's own serves then. `next()` looks for the one, `linkers()` returns the other.
template <typename Next, typename Linkers>
void find_next_dlsym(Next next, Linkers linkers) {
    if (xsched_next_dlsym.load(std::memory_order_relaxed) != nullptr) return;
    const auto found = reinterpret_cast<Dlsym>(next());
    xsched_next_dlsym.store(found != nullptr ? found : Dlsym{linkers()}, std::memory_order_relaxed);
}

}  // namespace xsched::stream
