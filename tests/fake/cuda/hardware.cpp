#include "fake/cuda/hardware.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "fake/cuda/settings.h"
#include "fake/hsa/fake_hsa.h"
#include "fake/kfd/fake_kfd.h"
#include "platform/hip/hal/hsa_api.h"

namespace fake {
namespace {

using namespace xsched::hip::hsa;

// The functions of the fake HSA runtime, found as a linked library's are: the first of that name in the process,
// which may be the shim's. With FAKE_HSA_LOCAL=1 they are looked up in the library itself.
struct Hsa {
    void* library = nullptr;
    QueueCreate create = nullptr;
    QueueDestroy destroy = nullptr;
    QueueSetPriority set_priority = nullptr;
    decltype(fake_hsa_stopped)* stopped = nullptr;
    decltype(fake_hsa_kfd_queue)* number = nullptr;
};

bool is_on(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value == '1';
}

template <typename Function>
void find(const Hsa& hsa, const char* name, Function* function) {
    void* scope = is_on("FAKE_HSA_LOCAL") ? hsa.library : RTLD_DEFAULT;
    *function = reinterpret_cast<Function>(dlsym(scope, name));
}

const Hsa& hsa() {
    static const Hsa it = [] {
        Hsa found;
        const char* path = std::getenv("FAKE_HIP_HSA");
        if (path == nullptr || *path == '\0') return found;
        found.library = dlopen(path, RTLD_NOW | (is_on("FAKE_HSA_LOCAL") ? RTLD_LOCAL : RTLD_GLOBAL));
        if (found.library == nullptr) return found;
        reinterpret_cast<hsa_status_t (*)()>(dlsym(found.library, "hsa_init"))();
        find(found, "hsa_queue_create", &found.create);
        find(found, "hsa_queue_destroy", &found.destroy);
        find(found, "hsa_amd_queue_set_priority", &found.set_priority);
        found.stopped = reinterpret_cast<decltype(found.stopped)>(dlsym(found.library, "fake_hsa_stopped"));
        found.number = reinterpret_cast<decltype(found.number)>(dlsym(found.library, "fake_hsa_kfd_queue"));
        return found;
    }();
    return it;
}

constexpr uint32_t kPackets = 16384;  // as the real runtime's

amd_queue_t* queue_of(void* queue) { return static_cast<amd_queue_t*>(queue); }

}  // namespace

bool has_hsa() { return hsa().library != nullptr; }

void HardwareQueue::put_in() {
    if (hsa != nullptr) __atomic_fetch_add(&queue_of(hsa)->write_dispatch_id, 1, __ATOMIC_ACQ_REL);
}
void HardwareQueue::taken_out() {
    if (hsa != nullptr) __atomic_fetch_add(&queue_of(hsa)->read_dispatch_id, 1, __ATOMIC_ACQ_REL);
}

HardwareQueue* HardwareQueues::make(int ordinal, int priority) {
    auto* queue = new HardwareQueue;
    queue->priority = priority;
    hsa_queue_t* made = nullptr;
    const hsa_agent_t agent{static_cast<uint64_t>(ordinal) + 1};
    if (has_hsa() && hsa().create(agent, kPackets, 0, nullptr, nullptr, 0, 0, &made) == HSA_STATUS_SUCCESS) {
        queue->hsa = made;
        if (priority != 0)
            hsa().set_priority(made, priority < 0 ? HSA_AMD_QUEUE_PRIORITY_HIGH : HSA_AMD_QUEUE_PRIORITY_LOW);
        queue->channels.disabled = hsa().stopped(made);
        queue->channels.queues[0] = hsa().number(made);
        queue->channels.halted = reinterpret_cast<decltype(&fake_kfd_halted)>(dlsym(RTLD_DEFAULT, "fake_kfd_halted"));
    }
    return queue;
}

HardwareQueue* HardwareQueues::take(int ordinal, int priority) {
    if (g_settings.hardware_queues == 0) return nullptr;
    static const bool ignores_priorities = is_on("DEBUG_HIP_IGNORE_STREAM_PRIORITY");
    if (ignores_priorities) priority = 0;
    auto& all = queues_[priority];
    if (all.size() < g_settings.hardware_queues) all.emplace_back(make(ordinal, priority));
    HardwareQueue* least = std::min_element(all.begin(), all.end(), [](const auto& one, const auto& other) {
                               return one->streams < other->streams;
                           })->get();
    ++least->streams;
    return least;
}

void HardwareQueues::give(HardwareQueue* queue) {
    if (queue != nullptr) --queue->streams;
}

HardwareQueue* HardwareQueues::move(HardwareQueue* queue) {
    static const bool moves = is_on("FAKE_HIP_DYNAMIC_QUEUES");
    if (!moves || queue == nullptr) return queue;
    const auto& all = queues_[queue->priority];
    HardwareQueue* other = all[++moves_ % all.size()].get();
    --queue->streams;
    ++other->streams;
    return other;
}

HardwareQueue* HardwareQueues::cooperative(int ordinal) {
    if (g_settings.hardware_queues == 0) return nullptr;
    if (cooperative_ == nullptr) cooperative_.reset(make(ordinal, 0));
    return cooperative_.get();
}

void HardwareQueues::end() {
    const auto end_one = [this](std::unique_ptr<HardwareQueue> queue) {
        if (queue == nullptr) return;
        if (queue->hsa != nullptr) hsa().destroy(static_cast<hsa_queue_t*>(queue->hsa));
        queue->hsa = nullptr;
        queue->channels = Channels{};
        ended_.push_back(std::move(queue));
    };
    for (auto& [priority, all] : queues_)
        for (auto& queue : all) end_one(std::move(queue));
    queues_.clear();
    end_one(std::move(cooperative_));
}

}  // namespace fake
