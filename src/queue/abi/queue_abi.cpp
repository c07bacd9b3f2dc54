// The C functions of queue_abi.h that shims and backends call for their queues.
#include "queue/abi/queue_abi.h"

#include "base/confinement.h"
#include "base/hot.h"
#include "queue/abi/abi_pointer.h"
#include "queue/command.h"
#include "queue/device_names.h"
#include "queue/driver_calls.h"
#include "queue/hw_queue.h"
#include "queue/inherit_priority.h"
#include "queue/pool.h"
#include "queue/token.h"

using xsched::queue::CommandKind;
using xsched::queue::of_pointer;
using xsched::queue::XQueue;

uint32_t xq_abi_version(void) { return XQ_DEVICE_ABI; }

XResult xq_hwq_create(HwQueueHandle* handle, const XqDeviceOps* ops, void* impl, uint64_t vendor, XDevice device) {
    return xsched::queue::create_hw_queue(handle, {ops, impl, vendor, device});
}

void xq_level_changed(XDevice device) {
    for (uint32_t i = 0; i < xsched::queue::pool_size(); ++i)
        if (XQueue* queue = xsched::queue::queue_at(i); queue != nullptr && queue->device() == device)
            queue->level_changed();
}

bool xq_entered_sandbox(void) { return xsched::base::entered_sandbox(); }

void xq_name_device(XDevice device, const char* name) { xsched::queue::name_device(device, name); }

XResult xq_hwq_find(HwQueueHandle* handle, XPlatform platform, uint64_t vendor) {
    return xsched::queue::find_hw_queue_of(platform, vendor, handle);
}

void* xq_hwq_impl(HwQueueHandle handle) {
    xsched::queue::HwQueue found;
    return xsched::queue::find_hw_queue(handle, &found) ? found.impl : nullptr;
}

XSCHED_HOT XqQueue* xq_from_handle(XQueueHandle handle) {
    const XQueue* queue = xsched::queue::queue_from_handle(handle);
    return queue != nullptr ? xsched::queue::abi_pointer(*queue) : nullptr;
}

void xq_retire(XqQueue* queue, XqRetire how) {
    if (XQueue* object = of_pointer(queue)) object->retire(how);
}

XSCHED_HOT void xq_admit(XqQueue* queue, XqTicket* ticket) {
    if (XQueue* object = of_pointer(queue)) return object->admit(*ticket, CommandKind::kWork);
    *ticket = XqTicket{};
}

XSCHED_HOT void xq_admit_marker(XqQueue* queue, XqTicket* ticket) {
    if (XQueue* object = of_pointer(queue)) return object->admit(*ticket, CommandKind::kMarker);
    *ticket = XqTicket{};
}

void xq_admit_wait(XqQueue* queue, XqTicket* ticket) {
    if (XQueue* object = of_pointer(queue)) return object->admit(*ticket, CommandKind::kWait);
    *ticket = XqTicket{};
}

void xq_admit_unheld(XqQueue* queue, XqTicket* ticket) {
    if (XQueue* object = of_pointer(queue)) return object->admit_unheld(*ticket);
    *ticket = XqTicket{};
}

bool xq_is_followed(XqQueue* queue) {
    XQueue* object = of_pointer(queue);
    return object != nullptr && object->followed();
}

XqStand xq_stand_begins(XqQueue* queue, bool blocks_all) {
    XQueue* object = of_pointer(queue);
    return object != nullptr ? object->stand_begins(blocks_all) : 0;
}

void xq_admit_standing(XqQueue* queue, XqTicket* ticket, XqStand stand) {
    if (XQueue* object = of_pointer(queue)) return object->admit_standing(*ticket, stand);
    *ticket = XqTicket{};
}

void xq_stand_given(XqQueue* queue, XqStand stand) {
    if (XQueue* object = of_pointer(queue)) object->stand_given(stand);
}

void xq_stand_over(XqQueue* queue, XqStand stand) {
    if (XQueue* object = of_pointer(queue)) object->stand_over(stand);
}

bool xq_has_stands(XqQueue* queue) {
    XQueue* object = of_pointer(queue);
    return object != nullptr && object->has_stands();
}

bool xq_keeps_order(XqQueue* queue) {
    const XQueue* object = of_pointer(queue);
    return object != nullptr && object->keeps_order();
}

XDevice xq_device(XqQueue* queue) {
    const XQueue* object = of_pointer(queue);
    return object != nullptr ? object->device() : 0;
}

bool xq_copies_in_pieces(XqQueue* queue) {
    XQueue* object = of_pointer(queue);
    return object != nullptr && object->copies_in_pieces();
}

bool xq_split_begins(XqQueue* queue) {
    XQueue* object = of_pointer(queue);
    return object != nullptr && object->split_begins();
}

void xq_split_over(XqQueue* queue) {
    if (XQueue* object = of_pointer(queue)) object->split_over();
}

uint64_t xq_copy_piece(XqQueue* queue, XqCopyKind kind, uint64_t bytes) {
    XQueue* object = of_pointer(queue);
    return object != nullptr ? object->copy_piece(kind, bytes) : 0;
}

void xq_admit_piece(XqQueue* queue, XqTicket* ticket, const XqPiece* piece) {
    if (XQueue* object = of_pointer(queue)) return object->admit_piece(*ticket, *piece);
    *ticket = XqTicket{};
}

void xq_note_copy(XqQueue* queue, uint64_t bytes) {
    if (XQueue* object = of_pointer(queue)) object->note_copy(bytes);
}

XSCHED_HOT void xq_launched(XqQueue* queue, XqTicket* ticket, uint32_t outcome) {
    if (XQueue* object = of_pointer(queue)) object->launched(*ticket, outcome);
}

XResult xq_buffer(XqQueue* queue, XqTicket*, XqCommand* command) {
    XQueue* object = of_pointer(queue);
    if (object == nullptr) return kXSchedErrorNotFound;
    object->buffer(command);
    return kXSchedSuccess;
}

XSCHED_HOT void xq_complete(XqToken token) {
    if (token == 0) return;
    if ((token & xsched::queue::kCommandToken) != 0) return xsched::queue::complete_command(token);
    xsched::queue::complete_token(token);
}

XSCHED_HOT void xq_wait_begins(XqQueue* queue) {
    if (XQueue* object = of_pointer(queue)) object->wait_begins();
}

XSCHED_HOT void xq_wait_ended(XqQueue* queue) {
    if (XQueue* object = of_pointer(queue)) object->wait_ended();
}

XSCHED_HOT uint64_t xq_sync_begin(XqQueue* queue) {
    XQueue* object = of_pointer(queue);
    return object != nullptr ? object->sync_begin() : 0;
}

XSCHED_HOT void xq_sync_end(XqQueue* queue, uint64_t mark) {
    if (XQueue* object = of_pointer(queue)) object->sync_end(mark);
}

void xq_inherit_priority(XqQueue* consumer, XqQueue* producer) {
    XQueue* from = of_pointer(producer);
    XQueue* to = of_pointer(consumer);
    if (from != nullptr && to != nullptr && from != to) xsched::queue::inherit_priority(*to, *from);
}

void xq_shared_event(XqQueue* queue, uint64_t event, XqSharedUse use) {
    if (XQueue* object = of_pointer(queue)) object->share_event(event, use);
}

int32_t xq_priority(XqQueue* queue) {
    XQueue* object = of_pointer(queue);
    return object != nullptr ? object->own_priority() : PRIORITY_NO_EXECUTE;
}

void xq_share_hardware(XqQueue* consumer, XqQueue* producer) {
    XQueue* from = of_pointer(producer);
    XQueue* to = of_pointer(consumer);
    if (from != nullptr && to != nullptr && from != to) xsched::queue::share_hardware(*to, *from);
}

void xq_stand_before(XqQueue* queue, XqQueue* other) {
    XQueue* before = of_pointer(queue);
    XQueue* behind = of_pointer(other);
    if (before != nullptr && behind != nullptr && before != behind) before->keep_short_for(behind->own_priority());
}

void xq_set_apart(XqQueue* queue, bool apart) {
    if (XQueue* object = of_pointer(queue)) object->set_apart(apart);
}

void xq_end_sharing(XqQueue* queue) {
    if (XQueue* object = of_pointer(queue)) object->end_sharing();
}

void xq_words_owner_gone(uint64_t owner) { xsched::queue::words_owner_gone(owner); }

XSCHED_HOT void xq_report_marker(XqQueue* queue, XqAskLater later) {
    if (XQueue* object = of_pointer(queue)) object->report_marker(later);
}

bool xq_keeps_device(XqQueue* queue) {
    XQueue* object = of_pointer(queue);
    return object != nullptr && object->keep_alive().has_use();
}

int64_t xq_copy_burst_ns(XqQueue* queue) {
    XQueue* object = of_pointer(queue);
    return object != nullptr ? object->copy_burst_ns() : 0;
}

bool xq_all_complete(XqQueue* queue) {
    XQueue* object = of_pointer(queue);
    return object != nullptr && object->keep_alive().all_complete();
}

bool xq_is_idle(XqQueue* queue) {
    XQueue* object = of_pointer(queue);
    return object != nullptr && object->keep_alive().is_idle();
}

bool xq_only_keep_alive_pending(XqQueue* queue) {
    XQueue* object = of_pointer(queue);
    return object != nullptr && object->keep_alive().only_ours_pending();
}

void xq_driver_call(XqQueue* queue, XqDriverCall what) {
    if (XQueue* object = of_pointer(queue)) xsched::queue::note_driver_call(*object->header(), what);
}

void xq_drain(XqQueue* queue) {
    if (XQueue* object = of_pointer(queue)) object->drain();
}
