// Locks this process's memory, so that no thread waits for a disk in a page fault. Front thread, before there are
// others.
#pragma once

namespace xsched::server {

// Locks all present memory, and later memory when it is touched. If the system allows only a limited amount, nothing is
// locked: reaching the limit later would make allocations fail. Returns whether memory is locked.
bool stay_resident();

}  // namespace xsched::server
