// Takes memory, descriptors and the time zone at the start, so that the front and the scheduling thread need not wait
// for the kernel while they serve.
#pragma once

namespace xsched::server {

// Takes memory for malloc, stacks of threads, and room for descriptors. Mapping memory later would wait for the lock of
// the process's memory, which threads hold that map or unmap clients' memory (undertaker.h). Enlarging the descriptor
// table later would wait until each processor has been in the kernel. Only the descriptor table becomes resident. Call
// on the front thread, before there are others.
void take_in_advance();

// Takes memory for malloc in the calling thread, whose own heap would otherwise grow page by page.
void take_heap_of_thread();

}  // namespace xsched::server
