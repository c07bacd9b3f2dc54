#include "calls.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "card.h"
#include "debugger.h"
#include "events.h"
#include "faults.h"
#include "memory.h"
#include "queues.h"

namespace kfd {
namespace {

template <typename T>
T& of(void* argument) {
    return *static_cast<T*>(argument);
}

Answer version(kfd_ioctl_get_version_args& asked) {
    asked.major_version = 1;
    asked.minor_version = 17;
    return 0;
}

// Returns the address ranges of a GPU's LDS, of its scratch and of all that it can address: the same for each GPU.
kfd_process_device_apertures apertures_of(int gpu) {
    kfd_process_device_apertures it{};
    it.gpu_id = kFirstGpuId + static_cast<uint32_t>(gpu);
    it.lds_base = 0x1000000000000;
    it.lds_limit = 0x10000ffffffff;
    it.scratch_base = 0x2000000000000;
    it.scratch_limit = 0x20000ffffffff;
    it.gpuvm_base = 0x4000;
    it.gpuvm_limit = 0x7fffffffffff;
    return it;
}

Answer apertures(kfd_ioctl_get_process_apertures_new_args& asked) {
    auto* places = reinterpret_cast<kfd_process_device_apertures*>(asked.kfd_process_device_apertures_ptr);
    for (int gpu = 0; places != nullptr && gpu < gpus() && gpu < static_cast<int>(asked.num_of_nodes); ++gpu)
        places[gpu] = apertures_of(gpu);
    asked.num_of_nodes = static_cast<uint32_t>(gpus());
    return 0;
}

Answer clocks(kfd_ioctl_get_clock_counters_args& asked) {
    asked.gpu_clock_counter = asked.cpu_clock_counter = asked.system_clock_counter = static_cast<uint64_t>(now_ns());
    asked.system_clock_freq = 1'000'000'000;
    return 0;
}

Answer tiles(kfd_ioctl_get_tile_config_args& asked) {
    asked.num_tile_configs = asked.num_macro_tile_configs = 0;
    asked.gb_addr_config = 0x10000444;
    return 0;
}

Answer xnack(kfd_ioctl_set_xnack_mode_args& asked) {
    if (asked.xnack_enabled > 0) return -EPERM;
    asked.xnack_enabled = 0;
    return 0;
}

Answer system_events(kfd_ioctl_smi_events_args& asked) {
    const int file = open("/dev/null", O_RDWR | O_CLOEXEC);  // none ever come
    if (file < 0) return -ENFILE;
    asked.anon_fd = static_cast<uint32_t>(file);
    return 0;
}

Answer about_memory(unsigned long request, void* argument) {
    switch (request) {
        case AMDKFD_IOC_ALLOC_MEMORY_OF_GPU: return allocate(of<kfd_ioctl_alloc_memory_of_gpu_args>(argument));
        case AMDKFD_IOC_FREE_MEMORY_OF_GPU: return release(of<kfd_ioctl_free_memory_of_gpu_args>(argument));
        case AMDKFD_IOC_MAP_MEMORY_TO_GPU: {
            auto& asked = of<kfd_ioctl_map_memory_to_gpu_args>(argument);
            asked.n_success = asked.n_devices;
            return 0;
        }
        case AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU: {
            auto& asked = of<kfd_ioctl_unmap_memory_from_gpu_args>(argument);
            asked.n_success = asked.n_devices;
            return 0;
        }
        case AMDKFD_IOC_EXPORT_DMABUF: return export_memory(of<kfd_ioctl_export_dmabuf_args>(argument));
        case AMDKFD_IOC_AVAILABLE_MEMORY:
            of<kfd_ioctl_get_available_memory_args>(argument).available = free_card_bytes();
            return 0;
        default: return -ENOTTY;
    }
}

Answer about_events(unsigned long request, void* argument) {
    switch (request) {
        case AMDKFD_IOC_CREATE_EVENT: return create_event(of<kfd_ioctl_create_event_args>(argument));
        case AMDKFD_IOC_DESTROY_EVENT: return destroy_event(of<kfd_ioctl_destroy_event_args>(argument).event_id);
        case AMDKFD_IOC_SET_EVENT: return set_event(of<kfd_ioctl_set_event_args>(argument).event_id);
        case AMDKFD_IOC_RESET_EVENT: return reset_event(of<kfd_ioctl_reset_event_args>(argument).event_id);
        case AMDKFD_IOC_WAIT_EVENTS: return wait_events(of<kfd_ioctl_wait_events_args>(argument));
        default: return about_memory(request, argument);
    }
}

// Makes the call, or fails as KFD_EMULATOR_FAULTS says for this call.
template <typename Call>
Answer unless_at_fault(const char* name, Call call) {
    const Fault fault = fault_of(name);
    if (fault.kind == Fault::kError) return -fault.error;
    return fault.kind == Fault::kNothing ? 0 : call();
}

Answer about_queues(unsigned long request, void* argument) {
    switch (request) {
        case AMDKFD_IOC_CREATE_QUEUE:
            return unless_at_fault("create", [=] { return create_queue(of<kfd_ioctl_create_queue_args>(argument)); });
        case AMDKFD_IOC_DESTROY_QUEUE:
            return unless_at_fault("destroy",
                                   [=] { return destroy_queue(of<kfd_ioctl_destroy_queue_args>(argument).queue_id); });
        case AMDKFD_IOC_UPDATE_QUEUE:
            return unless_at_fault("update", [=] { return update_queue(of<kfd_ioctl_update_queue_args>(argument)); });
        case AMDKFD_IOC_SET_CU_MASK:
            return unless_at_fault("mask", [=] { return set_mask(of<kfd_ioctl_set_cu_mask_args>(argument)); });
        case AMDKFD_IOC_RUNTIME_ENABLE: return enable_runtime(of<kfd_ioctl_runtime_enable_args>(argument));
        case AMDKFD_IOC_DBG_TRAP: return debug(of<kfd_ioctl_dbg_trap_args>(argument));
        default: return about_events(request, argument);
    }
}

bool is_the_owners() {
    static std::atomic<pid_t> owner{0};
    pid_t expected = 0;
    const pid_t self = getpid();
    return owner.compare_exchange_strong(expected, self) || expected == self;
}

}  // namespace

Answer answer(unsigned long request, void* argument) {
    say(3, "call 0x%02lx", _IOC_NR(request));
    if (!is_the_owners()) return -EBADF;
    switch (request) {
        case AMDKFD_IOC_GET_VERSION: return version(of<kfd_ioctl_get_version_args>(argument));
        case AMDKFD_IOC_GET_PROCESS_APERTURES_NEW:
            return apertures(of<kfd_ioctl_get_process_apertures_new_args>(argument));
        case AMDKFD_IOC_GET_CLOCK_COUNTERS: return clocks(of<kfd_ioctl_get_clock_counters_args>(argument));
        case AMDKFD_IOC_GET_TILE_CONFIG: return tiles(of<kfd_ioctl_get_tile_config_args>(argument));
        case AMDKFD_IOC_SET_XNACK_MODE: return xnack(of<kfd_ioctl_set_xnack_mode_args>(argument));
        case AMDKFD_IOC_SMI_EVENTS: return system_events(of<kfd_ioctl_smi_events_args>(argument));
        // Calls without a visible effect.
        case AMDKFD_IOC_ACQUIRE_VM:
        case AMDKFD_IOC_SET_MEMORY_POLICY:
        case AMDKFD_IOC_SET_SCRATCH_BACKING_VA:
        case AMDKFD_IOC_SET_TRAP_HANDLER:
        case AMDKFD_IOC_ALLOC_QUEUE_GWS: return 0;
        default: return about_queues(request, argument);
    }
}

}  // namespace kfd
