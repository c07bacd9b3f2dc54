#include "queues.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <mutex>

#include "faults.h"
#include "packets.h"

namespace kfd {
namespace {

constexpr uint32_t kPercentageMask = 0xff;  // the other bits say something else
constexpr uint32_t kMostPriority = 15;
constexpr int64_t kLookNs = 20'000;

std::mutex g_mutex;
auto& g_queues = *new std::map<uint32_t, std::shared_ptr<Queue>>;  // never destroyed: queues work until the end

std::shared_ptr<Queue> find(uint32_t id) {
    const auto found = g_queues.find(id);
    return found != g_queues.end() ? found->second : nullptr;
}

// Waits until nothing of the queue runs any more, as KFD's calls return only after the hardware has saved what ran.
void wait_until_off(const Queue& queue) {
    while (queue.is_off() && queue.works.load()) wait_ns(kLookNs);
}

uint32_t lowest_free_id() {
    uint32_t id = 0;
    while (g_queues.count(id) != 0) ++id;
    return id;
}

using Change = bool (*)(Queue& queue);

// Switches queues on or off. As in KFD (q_array_invalidate), all ids are marked as invalid first, and the mark is
// removed from the ids of queues that were switched.
Answer switch_queues(uint32_t* ids, uint32_t count, bool misses_last, Change change) {
    int switched = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const std::shared_ptr<Queue> queue = misses_last && i + 1 == count ? nullptr : find(ids[i]);
        ids[i] |= KFD_DBG_QUEUE_INVALID_MASK;
        if (queue == nullptr || !change(*queue)) continue;
        ids[i] &= ~static_cast<uint32_t>(KFD_DBG_QUEUE_INVALID_MASK);
        ++switched;
    }
    return switched;
}

}  // namespace

Answer create_queue(kfd_ioctl_create_queue_args& asked) {
    const int gpu = gpu_numbered(asked.gpu_id);
    if (gpu < 0 || asked.queue_priority > kMostPriority) return -EINVAL;
    const std::lock_guard lock(g_mutex);
    auto queue = std::make_shared<Queue>();
    queue->id = asked.queue_id = lowest_free_id();
    queue->gpu = gpu;
    queue->percentage = asked.queue_percentage & kPercentageMask;
    asked.doorbell_offset = 8 * queue->id;
    queue->made = asked;
    g_queues[queue->id] = queue;
    say(1, "queue %u: type %u on GPU %d, priority %u, percentage %u", queue->id, asked.queue_type, gpu,
        asked.queue_priority, asked.queue_percentage);
    if (asked.queue_type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL) {
        queue->has_thread = pthread_create(&queue->thread, nullptr, take_packets, queue.get()) == 0;
        if (!queue->has_thread) give_up("no thread for a queue");
    }
    return 0;
}

// Destroys a queue. A suspended queue first waits until a debugger resumes it, as in KFD's wait_on_destroy_queue.
Answer destroy_queue(uint32_t id) {
    std::unique_lock lock(g_mutex);
    std::shared_ptr<Queue> queue = find(id);
    while (queue != nullptr && queue->suspended) {
        lock.unlock();
        wait_ns(kLookNs);
        lock.lock();
        queue = find(id);
    }
    if (queue == nullptr) return -EINVAL;
    g_queues.erase(id);
    lock.unlock();
    queue->ends = true;
    if (queue->has_thread) pthread_join(queue->thread, nullptr);
    say(1, "queue %u is gone", id);
    return 0;
}

// The errors of pqm_update_queue_properties: EFAULT for a queue that is not there, and for a ring that is another.
Answer update_queue(const kfd_ioctl_update_queue_args& asked) {
    const uint32_t percentage = asked.queue_percentage & kPercentageMask;
    if (percentage > 100 || asked.queue_priority > kMostPriority) return -EINVAL;
    const std::unique_lock lock(g_mutex);
    const std::shared_ptr<Queue> queue = find(asked.queue_id);
    if (queue == nullptr) return -EFAULT;
    if (asked.ring_base_address != queue->made.ring_base_address || asked.ring_size != queue->made.ring_size)
        return -EFAULT;
    say(1, "queue %u: percentage %u, priority %u", queue->id, percentage, asked.queue_priority);
    queue->percentage = percentage;
    wait_until_off(*queue);
    return 0;
}

Answer set_mask(const kfd_ioctl_set_cu_mask_args& asked) {
    if (asked.num_cu_mask == 0 || asked.num_cu_mask % 32 != 0) return -EINVAL;
    const std::lock_guard lock(g_mutex);
    return find(asked.queue_id) != nullptr ? 0 : -EFAULT;  // kernels are no faster or slower for it
}

Answer suspend_queues(uint32_t* ids, uint32_t count) {
    const Fault fault = fault_of("suspend");
    if (fault.kind == Fault::kError) return -fault.error;
    if (fault.kind == Fault::kNothing) return 0;
    const std::lock_guard lock(g_mutex);
    const Answer suspended = switch_queues(ids, count, fault.kind == Fault::kMiss, [](Queue& queue) {
        if (queue.unseen) return false;
        queue.suspended = true;
        wait_until_off(queue);
        return true;
    });
    say(1, "suspended %d of %u queues", suspended, count);
    return suspended;
}

Answer resume_queues(uint32_t* ids, uint32_t count) {
    const Fault fault = fault_of("resume");
    if (fault.kind == Fault::kError) return -fault.error;
    if (fault.kind == Fault::kNothing) return 0;
    const std::lock_guard lock(g_mutex);
    return switch_queues(ids, count, fault.kind == Fault::kMiss, [](Queue& queue) {
        queue.suspended = false;
        return true;
    });
}

void keep_off(OffFor why, bool off) {
    const std::lock_guard lock(g_mutex);
    for (const auto& [id, queue] : g_queues) {
        (why == OffFor::kEviction ? queue->evicted : queue->reset) = off;
        wait_until_off(*queue);
    }
}

void resume_all() {
    const std::lock_guard lock(g_mutex);
    for (const auto& [id, queue] : g_queues) queue->suspended = false;
}

Answer snapshot(kfd_ioctl_dbg_trap_queue_snapshot_args& asked) {
    const std::lock_guard lock(g_mutex);
    auto* entries = reinterpret_cast<kfd_queue_snapshot_entry*>(asked.snapshot_buf_ptr);
    uint32_t count = 0;
    for (const auto& [id, queue] : g_queues) {
        if (count < asked.num_queues && entries != nullptr) {
            entries[count] = {};
            entries[count].queue_id = id;
            entries[count].gpu_id = queue->made.gpu_id;
            entries[count].ring_base_address = queue->made.ring_base_address;
            entries[count].ring_size = queue->made.ring_size;
            entries[count].queue_type = queue->made.queue_type;
        }
        if ((asked.exception_mask & KFD_EC_MASK(EC_QUEUE_NEW)) != 0) queue->unseen = false;
        ++count;
    }
    asked.num_queues = count;
    asked.entry_size = std::min<uint32_t>(asked.entry_size, sizeof(kfd_queue_snapshot_entry));
    return 0;
}

}  // namespace kfd
