// Registers a program that was started with a priority at the scheduler before its first command. So its first burst
// need not wait for the handshake, and less urgent programs have shortened their queues by then. The first allocation
// shows that the program will use the device; contexts exist from then on. Any thread.
//
// This also takes the steps that need rights before the program may enter a sandbox.
#pragma once

namespace xsched::stream {

// Connects to the scheduler and starts our threads. Call when the program has created a context or stream, or allocated
// memory. Keeps errno.
void device_used();
// Does what device_used does, when the program has created a stream, and also tries what the stream's device
// supports.
void stream_made();
// Returns whether this program has a priority above the default.
bool known_early();
// Gives the current context's default stream its XQueue, if it has none, and registers the page for its words and those
// of the next streams. Also prepares the kernels that keep the device through pauses: they may have to be compiled, and
// the driver lets no thread launch meanwhile. Call after a successful call of the driver; keeps errno.
void memory_allocated();

}  // namespace xsched::stream
