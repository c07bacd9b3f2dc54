// The C functions of queue_abi.h that shims and backends call on the launch path.
#include "queue/queue_abi.h"

#include "queue/command.h"
#include "queue/pool.h"
#include "queue/token.h"
#include "queue/xqueue.h"

using xsched::queue::XQueue;

namespace {
XQueue& of(XqQueue* queue) { return *reinterpret_cast<XQueue*>(queue); }
}  // namespace

uint32_t xq_abi_version(void) { return XQ_DEVICE_ABI; }

XqQueue* xq_from_handle(XQueueHandle handle) {
    return reinterpret_cast<XqQueue*>(xsched::queue::queue_from_handle(handle));
}

void xq_retire(XqQueue* queue) { of(queue).retire(); }

void xq_admit(XqQueue* queue, XqTicket* ticket) { of(queue).admit(*ticket, true); }

void xq_launched(XqQueue* queue, XqTicket* ticket, int succeeded) { of(queue).launched(*ticket, succeeded != 0); }

XResult xq_buffer(XqQueue* queue, XqTicket* ticket, XqCommand* command) {
    of(queue).buffer(*ticket, command);
    return kXSchedSuccess;
}

void xq_complete(XqToken token) {
    if (token == 0) return;
    if ((token & xsched::queue::kCommandToken) != 0) return xsched::queue::complete_command(token);
    if (XQueue* queue = xsched::queue::queue_at(xsched::queue::token_index(token)))
        queue->complete(xsched::queue::token_generation(token), xsched::queue::token_covers(token));
}

uint64_t xq_sync_begin(XqQueue* queue) { return of(queue).sync_begin(); }

void xq_sync_end(XqQueue* queue, uint64_t mark) { of(queue).sync_end(mark); }

void xq_depend(XqQueue* consumer, XqQueue* producer) {
    if (consumer != producer) of(consumer).depend(of(producer));
}

void xq_point(XqQueue* queue) { of(queue).point(); }

void xq_drain(XqQueue* queue) { of(queue).drain(); }
