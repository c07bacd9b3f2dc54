// Takes at the start what the front would otherwise wait for in the kernel while it serves. Front thread, before there
// are others.
#pragma once

namespace xsched::server {

// Memory for malloc, and stacks of threads: to map memory waits for the lock of the process's memory, which threads
// hold that map or unmap clients' memory (undertaker.h). Room for descriptors: to make more of it waits until each
// processor has been in the kernel. Nothing of what is taken is resident, apart from the room for descriptors.
void take_in_advance();

}  // namespace xsched::server
