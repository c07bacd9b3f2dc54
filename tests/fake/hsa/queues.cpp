// The queues of the fake HSA runtime. If the fake kernel driver (KFD) is loaded, each queue has one of KFD's below
// it.
#include <dlfcn.h>
#include <sys/ioctl.h>

#include <cstdlib>

#include "fake/hsa/fake_hsa.h"
#include "fake/hsa/runtime.h"
#include "fake/kfd/fake_kfd.h"
#include "platform/hip/hal/kfd_api.h"

namespace fake::hsa {
namespace {

namespace kfd = xsched::hip::kfd;

std::atomic<unsigned> g_queues{0};

// Creates the queue in the fake kernel driver by an ioctl, as AMD's thunk library does. The call goes through the C
// library's ioctl or the shim's replacement of it.
bool create_in_kernel(Queue& queue, uint64_t agent) {
    auto* open_file = of_kernel_driver<decltype(fake_kfd_open)>("fake_kfd_open");
    queue.file = open_file != nullptr ? open_file() : -1;
    if (queue.file < 0) return true;
    kfd::kfd_ioctl_create_queue_args request{};
    request.ring_base_address = reinterpret_cast<uintptr_t>(queue.ring);
    request.ring_size = queue.amd.hsa_queue.size * kPacketBytes;
    request.gpu_id = static_cast<uint32_t>(1000 + agent);
    request.queue_type = kfd::KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
    request.queue_percentage = 100;
    request.queue_priority = 7;
    if (ioctl(queue.file, kfd::AMDKFD_IOC_CREATE_QUEUE, &request) != 0) return false;
    queue.id = request.queue_id;
    return true;
}

}  // namespace

hsa_status_t create_queue(hsa_agent_t agent, uint32_t size, uint32_t type, QueueError, void*, uint32_t, uint32_t,
                          hsa_queue_t** made) {
    constexpr hsa_status_t kInvalidArgument = 0x1001, kOutOfResources = 0x1008;
    if (made == nullptr || size == 0 || (size & (size - 1)) != 0) return kInvalidArgument;
    auto* queue = new Queue;
    queue->ring = std::aligned_alloc(4096, std::max<size_t>(4096, size_t{size} * kPacketBytes));
    queue->doorbell.doorbell_of = queue;
    hsa_queue_t& shown = queue->amd.hsa_queue;
    shown.type = type;
    shown.base_address = queue->ring;
    shown.doorbell_signal.handle = reinterpret_cast<uint64_t>(&queue->doorbell);
    shown.size = size;
    static std::atomic<uint64_t> ids{0};
    shown.id = ids.fetch_add(1);
    if (!create_in_kernel(*queue, agent.handle)) {
        std::free(queue->ring);
        delete queue;
        return kOutOfResources;
    }
    for (size_t i = 0; i < size_t{size} * kPacketBytes; i += kPacketBytes)
        *reinterpret_cast<uint16_t*>(static_cast<uint8_t*>(queue->ring) + i) = 1;  // no packet yet (INVALID)
    g_queues.fetch_add(1);
    *made = &shown;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t destroy_queue(hsa_queue_t* given) {
    Queue* queue = queue_of(given);
    end_executor(*queue);
    if (queue->file >= 0) {
        kfd::kfd_ioctl_destroy_queue_args request{queue->id, 0};
        ioctl(queue->file, kfd::AMDKFD_IOC_DESTROY_QUEUE, &request);
    }
    g_queues.fetch_sub(1);
    std::free(queue->ring);
    delete queue;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t set_queue_priority(hsa_queue_t* given, uint32_t priority) {
    const Queue* queue = queue_of(given);
    if (queue->file < 0) return HSA_STATUS_SUCCESS;
    constexpr uint32_t kOfDriver[] = {0, 7, 11};
    kfd::kfd_ioctl_update_queue_args request{reinterpret_cast<uintptr_t>(queue->ring), queue->id,
                                             queue->amd.hsa_queue.size * kPacketBytes, 100, kOfDriver[priority % 3]};
    return ioctl(queue->file, kfd::AMDKFD_IOC_UPDATE_QUEUE, &request) == 0 ? HSA_STATUS_SUCCESS : 0x1000;
}

hsa_status_t set_queue_mask(const hsa_queue_t* given, uint32_t bits, const uint32_t* mask) {
    if (bits == 0 || bits % 32 != 0 || mask == nullptr) return 0x1001;
    const Queue* queue = queue_of(given);
    kfd::kfd_ioctl_set_cu_mask_args request{queue->id, bits, reinterpret_cast<uintptr_t>(mask)};
    if (queue->file < 0 || ioctl(queue->file, kfd::AMDKFD_IOC_SET_CU_MASK, &request) == 0) return HSA_STATUS_SUCCESS;
    return 0x1000;
}

}  // namespace fake::hsa

using namespace fake::hsa;

extern "C" {

const std::atomic<uint32_t>* fake_hsa_stopped(const void* given) {
    const auto* queue = static_cast<const Queue*>(given);
    if (queue->file < 0) return nullptr;
    return of_kernel_driver<decltype(fake_kfd_stopped)>("fake_kfd_stopped")(queue->id);
}

uint32_t fake_hsa_kfd_queue(const void* given) {
    const auto* queue = static_cast<const Queue*>(given);
    return queue->file >= 0 ? queue->id + 1 : 0;
}

unsigned fake_hsa_queues(void) { return g_queues.load(); }
}
