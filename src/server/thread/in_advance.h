// Takes at the start what the front and the deciding thread would otherwise wait for in the kernel while they serve.
#pragma once

namespace xsched::server {

// Memory for malloc, and stacks of threads: to map memory waits for the lock of the process's memory, which threads
// hold that map or unmap clients' memory (undertaker.h). Room for descriptors: to make more of it waits until each
// processor has been in the kernel. Nothing of what is taken is resident, apart from the room for descriptors. Front
// thread, before there are others.
void take_in_advance();

// Memory for malloc in the calling thread, which has a heap of its own that otherwise grows by pages.
void take_heap_of_thread();

}  // namespace xsched::server
