// xq_about_to: what the program is about to do, as far as a keep-alive or the process's hold is concerned.
#include "queue/abi/abi_pointer.h"
#include "queue/abi/queue_abi.h"
#include "queue/pool.h"

namespace xsched::queue {
namespace {

// Returns whether the keep-alive was started. If the wait is the burst's last one, the hold ends first.
XSCHED_HOT bool keep_device(XQueue& queue, XqReturn when) {
    g_hold.wait_begins();
    return queue.keep_alive().start(when, g_hold.lasts_through());
}

void free_memory() {
    g_hold.frees_memory();
    for (uint32_t i = 0; i < pool_size(); ++i)
        if (XQueue* const queue = queue_at(i)) queue->keep_alive().end();
}

XSCHED_HOT bool about_to(XQueue& queue, XqAbout what) {
    switch (what) {
        case kXqFirstUse: return queue.keep_alive().prepare_early(), false;
        case kXqWait: return keep_device(queue, kXqWhenComplete);
        case kXqWaitForEvent: return keep_device(queue, kXqAtOnce);
        case kXqQuery: return queue.keep_alive().end(), false;
        case kXqMayWait: return queue.keep_alive().will_be_followed(), false;
        default: return false;
    }
}

// Handles the values that concern the whole process.
void process_about_to(XqAbout what) {
    if (what == kXqFree) return free_memory();
    if (what == kXqWait || what == kXqCooperative) g_hold.end();
}

}  // namespace
}  // namespace xsched::queue

XSCHED_HOT bool xq_about_to(XqQueue* queue, XqAbout what) {
    if (queue == nullptr) return xsched::queue::process_about_to(what), false;
    xsched::queue::XQueue* const object = xsched::queue::of_pointer(queue);
    return object != nullptr && xsched::queue::about_to(*object, what);
}
