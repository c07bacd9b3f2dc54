#include "platform/stream/shim/events.h"

#include <new>

#include "base/mutex.h"
#include "base/pointer_map.h"

namespace xsched::stream {
namespace {

// The last record of one event. Never freed: a thread may look at a destroyed event's record. A reader that races with
// a new record may combine the two; `entry` is written last and read first, so that it then sees a mark too small,
// which is harmless.
struct Record {
    std::atomic<StreamEntry*> entry{nullptr};
    std::atomic<uint32_t> serial{0};
    std::atomic<uint64_t> mark{0};
    std::atomic<uint64_t> shared{0};  // what it is called in all processes that have it; 0: this one alone has it
    Record* next_spare = nullptr;
};

constinit base::PointerMap<Record> g_records;
constinit base::Mutex g_events_mutex;
constinit std::atomic<bool> g_any_shared{false};
constinit std::atomic<bool> g_any_waits{false};
constinit Record* g_spare_record = nullptr;

Record* first_record(Event event) {
    base::Lock lock(g_events_mutex);
    if (Record* record = g_records.find(event)) return record;
    Record* record = g_spare_record != nullptr ? g_spare_record : new (std::nothrow) Record;
    if (record == nullptr) return nullptr;
    if (record == g_spare_record) g_spare_record = record->next_spare;
    record->shared.store(0, std::memory_order_relaxed);
    if (g_records.insert(event, record)) return record;
    record->next_spare = g_spare_record;
    g_spare_record = record;
    return nullptr;
}

// Returns the name that all processes have for a shared event; 0: the event is this process's alone.
uint64_t shared_name(Event event) {
    if (event == nullptr || !g_any_shared.load(std::memory_order_acquire)) return 0;
    const Record* record = g_records.find(event);
    return record != nullptr ? record->shared.load(std::memory_order_acquire) : 0;
}

void tell_shared(XqQueue* xqueue, Event event, XqSharedUse use) {
    const uint64_t shared = shared_name(event);
    if (shared != 0 && xqueue != nullptr) xq_shared_event(xqueue, shared, use);
}

}  // namespace

QueueMark mark_of(StreamEntry* entry) {
    if (entry == nullptr) return {};
    XqQueue* xqueue = entry->xqueue.load(std::memory_order_acquire);
    if (xqueue == nullptr) return {};
    return {entry, entry->serial.load(std::memory_order_acquire), xq_sync_begin(xqueue)};
}

void completed_up_to(const QueueMark& mark) {
    if (mark.entry == nullptr || mark.entry->serial.load(std::memory_order_acquire) != mark.serial) return;
    if (XqQueue* xqueue = mark.entry->xqueue.load(std::memory_order_acquire)) xq_sync_end(xqueue, mark.mark);
}

void event_recorded(Event event, const QueueMark& mark) {
    if (event == nullptr) return;
    Record* record = g_records.find(event);
    if (record == nullptr && mark.entry != nullptr) record = first_record(event);
    if (record == nullptr) return;
    record->entry.store(nullptr, std::memory_order_relaxed);
    record->serial.store(mark.serial, std::memory_order_release);
    record->mark.store(mark.mark, std::memory_order_release);
    record->entry.store(mark.entry, std::memory_order_release);
    if (mark.entry != nullptr) tell_shared(mark.entry->xqueue.load(std::memory_order_acquire), event, kXqRecords);
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

void event_shared(Event event, const void* name, size_t bytes) {
    if (event == nullptr) return;
    uint64_t number = 0xcbf29ce484222325U;  // FNV-1a
    for (size_t i = 0; i < bytes; ++i) number = (number ^ static_cast<const uint8_t*>(name)[i]) * 0x100000001b3U;
    Record* record = g_records.find(event);
    if (record == nullptr) record = first_record(event);
    if (record == nullptr) return;
    record->shared.store(number | 1, std::memory_order_release);
    g_any_shared.store(true, std::memory_order_release);
}

void note_wait() {
    if (!g_any_waits.load(std::memory_order_relaxed)) g_any_waits.store(true, std::memory_order_relaxed);
}

bool ends_elsewhere(const StreamEntry& entry, Event event) {
    if (!several_queues() && !g_any_shared.load(std::memory_order_relaxed)) return false;
    const QueueMark record = last_record(event);
    if (record.entry == nullptr || record.entry->serial.load(std::memory_order_acquire) != record.serial)
        return shared_name(event) != 0;
    if (record.entry == &entry) return false;
    XqQueue* const producer = record.entry->xqueue.load(std::memory_order_acquire);
    XqQueue* const consumer = entry.xqueue.load(std::memory_order_acquire);
    if (producer == nullptr || consumer == nullptr) return false;
    const bool same_context =
        record.entry->context.load(std::memory_order_relaxed) == entry.context.load(std::memory_order_relaxed);
    if (!same_context && xq_device(producer) != xq_device(consumer)) return true;
    return g_any_waits.load(std::memory_order_relaxed) && xq_has_stands(producer);
}

void producer_inherits(const StreamEntry* entry, Event event) {
    if (entry == nullptr) return;
    tell_shared(entry->xqueue.load(std::memory_order_acquire), event, kXqWaits);
    if (!several_queues()) return;
    const QueueMark producer = last_record(event);
    if (producer.entry == nullptr || producer.entry == entry ||
        producer.entry->serial.load(std::memory_order_acquire) != producer.serial)
        return;
    XqQueue* consumer_queue = entry->xqueue.load(std::memory_order_acquire);
    XqQueue* producer_queue = producer.entry->xqueue.load(std::memory_order_acquire);
    if (consumer_queue == nullptr || producer_queue == nullptr) return;
    // A queue inherits nothing from one of equal priority. If the process gets queues of several priorities later, its
    // launches notice that (depend_implicitly).
    if (several_priorities() || xq_priority(consumer_queue) != xq_priority(producer_queue))
        xq_inherit_priority(consumer_queue, producer_queue);
}

}  // namespace xsched::stream
