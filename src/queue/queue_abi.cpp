// The C functions of queue_abi.h that shims and backends call on the launch path.
#include "queue/queue_abi.h"

#include "base/hot.h"
#include "queue/command.h"
#include "queue/pool.h"
#include "queue/token.h"
#include "queue/xqueue.h"

using xsched::queue::XQueue;

namespace {

// An XqQueue* is the address of a pooled object with the low bits of its generation on top (user addresses have 47 or
// 48 bits): a shim that keeps one after XQueueDestroy is let through, not led to the object's next owner.
constexpr unsigned kGenerationShift = 48;
constexpr uint64_t kAddress = (uint64_t{1} << kGenerationShift) - 1;

XQueue* of(XqQueue* queue) {
    const auto bits = reinterpret_cast<uint64_t>(queue);
    auto* object = reinterpret_cast<XQueue*>(bits & kAddress);
    const bool current = object != nullptr && object->in_use() &&
                         static_cast<uint16_t>(object->generation()) == static_cast<uint16_t>(bits >> kGenerationShift);
    return current ? object : nullptr;
}

}  // namespace

XqQueue* xsched::queue::abi_pointer(const XQueue& queue) {
    return reinterpret_cast<XqQueue*>(reinterpret_cast<uint64_t>(&queue) |
                                      (uint64_t{static_cast<uint16_t>(queue.generation())} << kGenerationShift));
}

uint32_t xq_abi_version(void) { return XQ_DEVICE_ABI; }

XSCHED_HOT XqQueue* xq_from_handle(XQueueHandle handle) {
    const XQueue* queue = xsched::queue::queue_from_handle(handle);
    return queue != nullptr ? xsched::queue::abi_pointer(*queue) : nullptr;
}

void xq_retire(XqQueue* queue, int report) {
    if (XQueue* object = of(queue)) object->retire(report != 0);
}

XSCHED_HOT void xq_admit(XqQueue* queue, XqTicket* ticket) {
    if (XQueue* object = of(queue)) return object->admit(*ticket, true);
    *ticket = XqTicket{};
}

XSCHED_HOT void xq_admit_point(XqQueue* queue, XqTicket* ticket) {
    if (XQueue* object = of(queue)) return object->admit(*ticket, true, true);
    *ticket = XqTicket{};
}

XSCHED_HOT void xq_launched(XqQueue* queue, XqTicket* ticket, int outcome) {
    if (XQueue* object = of(queue))
        object->launched(*ticket, (outcome & kXqSucceeded) != 0, (outcome & kXqReportLater) != 0);
}

XResult xq_buffer(XqQueue* queue, XqTicket* ticket, XqCommand* command) {
    XQueue* object = of(queue);
    if (object == nullptr) return kXSchedErrorNotFound;
    object->buffer(*ticket, command);
    return kXSchedSuccess;
}

XSCHED_HOT void xq_complete(XqToken token) {
    if (token == 0) return;
    if ((token & xsched::queue::kCommandToken) != 0) return xsched::queue::complete_command(token);
    if (XQueue* queue = xsched::queue::queue_at(xsched::queue::token_index(token)))
        queue->complete(xsched::queue::token_generation(token), xsched::queue::token_covers(token));
}

XSCHED_HOT uint64_t xq_sync_begin(XqQueue* queue, int inside) {
    XQueue* object = of(queue);
    return object != nullptr ? object->sync_begin(inside != 0) : 0;
}

XSCHED_HOT void xq_sync_end(XqQueue* queue, uint64_t mark) {
    if (XQueue* object = of(queue)) object->sync_end(mark);
}

void xq_depend(XqQueue* consumer, XqQueue* producer) {
    XQueue* from = of(producer);
    XQueue* to = of(consumer);
    if (from != nullptr && to != nullptr && from != to) to->depend(*from);
}

void xq_words_owner_gone(uint64_t owner) { xsched::queue::words_owner_gone(owner); }

XSCHED_HOT void xq_point(XqQueue* queue, int can_ask) {
    if (XQueue* object = of(queue)) object->point(can_ask != 0);
}

XSCHED_HOT int xq_linger(XqQueue* queue, int waits) {
    XQueue* object = of(queue);
    return object != nullptr && object->linger(waits != 0) ? 1 : 0;
}

XSCHED_HOT void xq_leave(XqQueue* queue) {
    if (XQueue* object = of(queue)) object->leave();
}

int xq_only_ours(XqQueue* queue) {
    XQueue* object = of(queue);
    return object != nullptr && object->only_ours() ? 1 : 0;
}

void xq_driver_call(XqQueue* queue, int begins) {
    if (XQueue* object = of(queue)) object->driver_call(begins != 0);
}

void xq_drain(XqQueue* queue) {
    if (XQueue* object = of(queue)) object->drain();
}
