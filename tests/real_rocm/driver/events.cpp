#include "events.h"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>

#include "memory.h"

namespace kfd {
namespace {

struct Event {
    bool set = false;
    bool resets_itself = false;
    bool is_signal = false;
    bool is_of_hardware = false;
    uint64_t age = 1;
};

std::mutex g_mutex;
// Never destroyed: threads of the runtime wait until the very end.
auto& g_changed = *new std::condition_variable;
auto& g_events = *new std::map<uint32_t, Event>;
uint64_t g_page = 0;  // of the events' slots

// Offset of the page with the events' mailboxes. It must not be 0: only then does the runtime give its signals a
// mailbox.
constexpr uint64_t kAnyOffset = 1;

uint32_t free_id() {
    uint32_t id = 1;
    while (g_events.count(id) != 0) ++id;
    return id;
}

// Returns whether the event has happened. A destroyed event counts as happened, so that no thread waits for it
// forever.
bool is_over(const kfd_event_data& asked) {
    const auto found = g_events.find(asked.event_id);
    if (found == g_events.end()) return true;
    const Event& event = found->second;
    const uint64_t seen = asked.signal_event_data.last_event_age;
    return event.set || (event.is_signal && seen != 0 && seen != event.age);
}

bool are_over(const kfd_event_data* asked, const kfd_ioctl_wait_events_args& all) {
    uint32_t over = 0;
    for (uint32_t i = 0; i < all.num_events; ++i) over += is_over(asked[i]) ? 1 : 0;
    return all.wait_for_all != 0 ? over == all.num_events : over > 0;
}

void take(kfd_event_data* asked, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const auto found = g_events.find(asked[i].event_id);
        if (found == g_events.end()) continue;
        Event& event = found->second;
        if (event.is_signal) asked[i].signal_event_data.last_event_age = event.age;
        if (event.is_of_hardware && event.set)
            asked[i].hw_exception_data = {KFD_HW_EXCEPTION_WHOLE_GPU_RESET, KFD_HW_EXCEPTION_GPU_HANG, 1, kFirstGpuId};
        if (event.set && event.resets_itself) event.set = false;
    }
}

}  // namespace

Answer create_event(kfd_ioctl_create_event_args& asked) {
    const std::lock_guard lock(g_mutex);
    if (asked.event_page_offset != 0 && g_page == 0)
        g_page = address_of_handle(static_cast<uint32_t>(asked.event_page_offset));
    const uint32_t id = free_id();
    g_events[id] = {.resets_itself = asked.auto_reset != 0,
                    .is_signal = asked.event_type == KFD_IOC_EVENT_SIGNAL,
                    .is_of_hardware = asked.event_type == KFD_IOC_EVENT_HW_EXCEPTION};
    asked.event_page_offset = g_page != 0 ? kAnyOffset : 0;
    asked.event_id = asked.event_slot_index = asked.event_trigger_data = id;
    return 0;
}

Answer destroy_event(uint32_t id) {
    const std::lock_guard lock(g_mutex);
    g_changed.notify_all();
    return g_events.erase(id) != 0 ? 0 : -EINVAL;
}

Answer set_event(uint32_t id) {
    const std::lock_guard lock(g_mutex);
    const auto found = g_events.find(id);
    if (found == g_events.end()) return -EINVAL;
    found->second.set = true;
    ++found->second.age;
    g_changed.notify_all();
    return 0;
}

void tell_of_reset() {
    const std::lock_guard lock(g_mutex);
    for (auto& [id, event] : g_events) event.set = event.set || event.is_of_hardware;
    g_changed.notify_all();
}

Answer reset_event(uint32_t id) {
    const std::lock_guard lock(g_mutex);
    const auto found = g_events.find(id);
    if (found == g_events.end()) return -EINVAL;
    found->second.set = false;
    return 0;
}

Answer wait_events(kfd_ioctl_wait_events_args& asked) {
    auto* events = reinterpret_cast<kfd_event_data*>(asked.events_ptr);
    const auto over = [&] { return are_over(events, asked); };
    for (uint32_t i = 0; i < asked.num_events; ++i)
        say(3, "waits for event %u, age %llu", events[i].event_id,
            static_cast<unsigned long long>(events[i].signal_event_data.last_event_age));
    std::unique_lock lock(g_mutex);
    bool there = true;
    if (asked.timeout == UINT32_MAX)
        g_changed.wait(lock, over);
    else
        there = g_changed.wait_for(lock, std::chrono::milliseconds(asked.timeout), over);
    take(events, asked.num_events);
    say(3, "waited: %d", there);
    asked.wait_result = there ? KFD_IOC_WAIT_RESULT_COMPLETE : KFD_IOC_WAIT_RESULT_TIMEOUT;
    return 0;
}

int64_t value_of(uint64_t signal) { return __atomic_load_n(&at<Signal>(signal)->value, __ATOMIC_ACQUIRE); }

void complete(uint64_t signal, int64_t began_ns, int64_t ended_ns) {
    if (signal == 0) return;
    Signal& it = *at<Signal>(signal);
    it.began = static_cast<uint64_t>(began_ns);
    it.ended = static_cast<uint64_t>(ended_ns);
    const uint64_t mailbox = it.mailbox;  // the runtime may take the signal back once its value is 0
    const uint32_t event = it.event;
    const int64_t value = __atomic_sub_fetch(&it.value, 1, __ATOMIC_ACQ_REL);
    say(3, "signal %llx, value now %lld, event %u", static_cast<unsigned long long>(signal),
        static_cast<long long>(value), mailbox != 0 ? event : 0);
    if (mailbox == 0) return;
    __atomic_store_n(at<uint64_t>(mailbox), event, __ATOMIC_RELEASE);
    set_event(event);
}

}  // namespace kfd
