// A program that was started with a priority is known to the scheduler before its first command. So its first burst
// pays for no handshake, and less urgent programs have stopped running far ahead of it by then. The first allocation
// says that the program will use the device: contexts exist from then on. Any thread.
//
// Steps that need rights which a sandbox may take from the program are done by then in any case.
#pragma once

namespace xsched::stream {

// The program has made a context or a stream, or has allocated memory: the scheduler and our threads are there from now
// on. errno stays.
void device_used();
// It has made a stream: also what its device must be tried for.
void stream_made();
// Whether this program has a priority above the usual one.
bool known_early();
// Gives the current context's default stream its XQueue, unless it has one. Registers the page of its words, in which
// the next streams have theirs. And prepares what keeps the device through pauses: its kernels are compiled on a
// machine that has not seen them yet, and the driver lets nobody launch meanwhile. After a call of the driver that
// succeeded; errno stays.
void memory_allocated();

}  // namespace xsched::stream
