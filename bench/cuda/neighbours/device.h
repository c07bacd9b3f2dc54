// CUDA as these programs use it: the driver's functions by name, from the library that a program finds under the
// driver's name. They link nothing of ours. Failures end the program with a sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace neighbours {

using Pointer = uint64_t;  // on the device
using Handle = void*;      // a stream, an event

int64_t now_ns();  // CLOCK_MONOTONIC

void open_device();
void use_device();  // any further thread
Pointer allocate(size_t bytes);
void release(Pointer memory);
// Host memory: pinned, or as malloc gives it.
uint32_t* host_memory(size_t bytes, bool pinned);
void release_pinned(void* memory);
// The kernel of launch_steps, in a module of its own.
struct Module {
    Handle module = nullptr;
    Handle kernel = nullptr;
};
Module load_module();
void unload(const Module& module);
// A context besides the program's own. `kernel`: the kernel of launch_steps, loaded in this context.
struct Context {
    Handle context = nullptr;
    Handle green = nullptr;  // the same as a green context, if it is one
    Handle kernel = nullptr;
};
std::vector<Context> make_contexts(unsigned count);
// Makes `count` green contexts, each with an equal part of the device's multiprocessors; fewer if the device has no
// such parts.
std::vector<Context> make_green_contexts(unsigned count);
void use(const Context& context);
Handle make_stream_in(const Context& context);
void fill_zero(Pointer memory, size_t bytes);
Handle make_stream();
Handle make_event(bool timed);
void copy_in(Pointer to, const void* from, size_t bytes, Handle stream);
void copy_out(void* to, Pointer from, size_t bytes, Handle stream);
void record(Handle event, Handle stream);
void wait_for(Handle stream, Handle event);
// Begin and end the capture of what is launched into the stream as a graph, which can then be launched.
void begin_capture(Handle stream);
Handle end_capture(Handle stream);
void launch_graph(Handle executable, Handle stream);
void wait_event(Handle event);
void wait_stream(Handle stream);
double elapsed_us(Handle begin, Handle end);
// Launches one thread for each word, which steps a generator `steps` times. `kernel`: a module's; null: the program's
// own.
void launch_steps(Pointer words, size_t count, uint32_t steps, Handle stream, Handle kernel = nullptr);
uint32_t stepped(uint32_t word, uint64_t steps);

}  // namespace neighbours
