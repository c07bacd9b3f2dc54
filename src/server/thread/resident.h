// Keeps this process's memory where it is, so that no thread waits for a disk in a page fault. Front thread, before
// there are others.
#pragma once

namespace xsched::server {

// All that is there now, and later whatever is touched. Where the system does not allow that without a limit, nothing
// changes: a limit that is reached later would make memory unavailable. Returns whether it is so.
bool stay_resident();

}  // namespace xsched::server
