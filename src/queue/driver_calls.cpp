#include "queue/driver_calls.h"

namespace xsched::queue {
namespace {

std::atomic<uint32_t> g_driver_calls{0};  // as ipc::Header::driver_calls

}  // namespace

void forget_driver_calls() { g_driver_calls.store(0, std::memory_order_seq_cst); }

// Counts a driver call that begins or has returned, and publishes the count. The process may publish to another memory
// meanwhile, so each change writes the whole number. The thread that writes last may have an older number, so it looks
// once more.
void note_driver_call(ipc::Header& header, XqDriverCall what) {
    const uint32_t change = what == kXqCallBegins ? 1 : ipc::kOneCallReturned - 1;
    uint32_t now = g_driver_calls.fetch_add(change, std::memory_order_seq_cst) + change;
    for (;;) {
        header.driver_calls.store(now, std::memory_order_seq_cst);
        const uint32_t newest = g_driver_calls.load(std::memory_order_seq_cst);
        if (newest == now) return;
        now = newest;
    }
}

}  // namespace xsched::queue
