#include "platform/stream/shim/events.h"

#include <new>

#include "base/mutex.h"
#include "base/pointer_map.h"

namespace xsched::stream {
namespace {

// Never freed: a thread may look at a destroyed event's record. A reader that races with a new record may combine the
// two; `entry` is written last and read first, so that it then sees a mark too small, which is harmless.
struct Record {
    std::atomic<StreamEntry*> entry{nullptr};
    std::atomic<uint32_t> serial{0};
    std::atomic<uint64_t> mark{0};
    Record* next_spare = nullptr;
};

constinit base::PointerMap<Record> g_records;
constinit base::Mutex g_events_mutex;
constinit Record* g_spare_record = nullptr;

Record* first_record(Event event) {
    base::Lock lock(g_events_mutex);
    if (Record* record = g_records.find(event)) return record;
    Record* record = g_spare_record != nullptr ? g_spare_record : new (std::nothrow) Record;
    if (record == nullptr) return nullptr;
    if (record == g_spare_record) g_spare_record = record->next_spare;
    if (g_records.insert(event, record)) return record;
    record->next_spare = g_spare_record;
    g_spare_record = record;
    return nullptr;
}

}  // namespace

QueueMark mark_of(StreamEntry* entry, bool inside) {
    if (entry == nullptr) return {};
    XqQueue* xqueue = entry->xqueue.load(std::memory_order_acquire);
    if (xqueue == nullptr) return {};
    return {entry, entry->serial.load(std::memory_order_acquire),
            xq_sync_begin(xqueue, inside ? kXqInside : kXqOutside)};
}

void completed_up_to(const QueueMark& mark) {
    if (mark.entry == nullptr || mark.entry->serial.load(std::memory_order_acquire) != mark.serial) return;
    if (XqQueue* xqueue = mark.entry->xqueue.load(std::memory_order_acquire)) xq_sync_end(xqueue, mark.mark);
}

void event_recorded(Event event, const QueueMark& mark) {
    if (event == nullptr) return;
    if (mark.entry == nullptr) return forget_event(event);
    Record* record = g_records.find(event);
    if (record == nullptr) record = first_record(event);
    if (record == nullptr) return;
    record->entry.store(nullptr, std::memory_order_relaxed);
    record->serial.store(mark.serial, std::memory_order_release);
    record->mark.store(mark.mark, std::memory_order_release);
    record->entry.store(mark.entry, std::memory_order_release);
}

QueueMark last_record(Event event) {
    const Record* record = event != nullptr ? g_records.find(event) : nullptr;
    if (record == nullptr) return {};
    QueueMark mark;
    mark.entry = record->entry.load(std::memory_order_acquire);
    mark.serial = record->serial.load(std::memory_order_acquire);
    mark.mark = record->mark.load(std::memory_order_acquire);
    return mark.entry == record->entry.load(std::memory_order_relaxed) ? mark : QueueMark{};
}

void forget_event(Event event) {
    Record* record = event != nullptr ? g_records.erase(event) : nullptr;
    if (record == nullptr) return;
    record->entry.store(nullptr, std::memory_order_release);
    base::Lock lock(g_events_mutex);
    record->next_spare = g_spare_record;
    g_spare_record = record;
}

void depend_on_event(const StreamEntry* entry, Event event) {
    if (entry == nullptr || !several_queues()) return;
    const QueueMark producer = last_record(event);
    if (producer.entry == nullptr || producer.entry == entry ||
        producer.entry->serial.load(std::memory_order_acquire) != producer.serial)
        return;
    XqQueue* consumer_queue = entry->xqueue.load(std::memory_order_acquire);
    XqQueue* producer_queue = producer.entry->xqueue.load(std::memory_order_acquire);
    if (consumer_queue != nullptr && producer_queue != nullptr) xq_inherit_priority(consumer_queue, producer_queue);
}

}  // namespace xsched::stream
