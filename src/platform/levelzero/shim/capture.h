// Tells whether a list records what is appended to it into a graph, instead of running it. Recorded commands must stay
// as the program gave them. The driver is asked once the program has begun to record. Any thread.
#pragma once

#include "platform/levelzero/shim/entry_points.h"

namespace xsched::levelzero {

extern std::atomic<bool> g_recorded;  // the program has begun to record, at some time

bool asks_whether_it_records(ze_command_list_handle_t list);

inline bool records(ze_command_list_handle_t list) {
    return g_recorded.load(std::memory_order_relaxed) && asks_whether_it_records(list);
}

}  // namespace xsched::levelzero
