// The requests of level 3 to AMD's kernel driver (KFD, /dev/kfd): structures and numbers of its ioctl interface under
// the names that they bear there, so that they can be found. The source of each is Linux's include/uapi/linux/
// kfd_ioctl.h, version 1.22, but for the last part. They are an interface that stays as it is.
#pragma once

#include <sys/ioctl.h>

#include <cstdint>

namespace xsched::hip::kfd {

inline constexpr unsigned AMDKFD_IOCTL_BASE = 'K';

// --- queues
enum QueueType : uint32_t { KFD_IOC_QUEUE_TYPE_COMPUTE = 0, KFD_IOC_QUEUE_TYPE_COMPUTE_AQL = 2 };

struct kfd_ioctl_create_queue_args {
    uint64_t ring_base_address;
    uint64_t write_pointer_address;
    uint64_t read_pointer_address;
    uint64_t doorbell_offset;
    uint32_t ring_size;
    uint32_t gpu_id;
    uint32_t queue_type;
    uint32_t queue_percentage;
    uint32_t queue_priority;
    uint32_t queue_id;  // from KFD
    uint64_t eop_buffer_address;
    uint64_t eop_buffer_size;
    uint64_t ctx_save_restore_address;
    uint32_t ctx_save_restore_size;
    uint32_t ctl_stack_size;
    uint32_t sdma_engine_id;  // this and what follows: since 1.17
    uint32_t metadata_ring_size;
};
static_assert(sizeof(kfd_ioctl_create_queue_args) == 96);
inline constexpr unsigned kCreateQueueKnownBytes = 56;  // all that is looked at

struct kfd_ioctl_destroy_queue_args {
    uint32_t queue_id;
    uint32_t pad;
};

// Mask of the percentage; 0 percent takes the queue off the hardware and saves its waves. Bits 8 to 15 have another
// meaning in ROCm's own driver.
inline constexpr uint32_t kPercentageMask = 0xff;
struct kfd_ioctl_update_queue_args {
    uint64_t ring_base_address;
    uint32_t queue_id;
    uint32_t ring_size;
    uint32_t queue_percentage;
    uint32_t queue_priority;
};
static_assert(sizeof(kfd_ioctl_update_queue_args) == 24);

inline constexpr unsigned kCreateQueueNumber = 0x02;
inline constexpr unsigned long AMDKFD_IOC_CREATE_QUEUE =
    _IOWR(AMDKFD_IOCTL_BASE, kCreateQueueNumber, kfd_ioctl_create_queue_args);
inline constexpr unsigned long AMDKFD_IOC_DESTROY_QUEUE = _IOWR(AMDKFD_IOCTL_BASE, 0x03, kfd_ioctl_destroy_queue_args);
inline constexpr unsigned long AMDKFD_IOC_UPDATE_QUEUE = _IOW(AMDKFD_IOCTL_BASE, 0x07, kfd_ioctl_update_queue_args);

// Which compute units a queue may use: a bit for each, which the driver deals out to the GPU's dies, engines and arrays
// in turn. The number of bits is a multiple of 32. A queue that has none left on a die hangs.
struct kfd_ioctl_set_cu_mask_args {
    uint32_t queue_id;
    uint32_t num_cu_mask;
    uint64_t cu_mask_ptr;
};
static_assert(sizeof(kfd_ioctl_set_cu_mask_args) == 16);
inline constexpr uint32_t kMostMaskBits = 1024;
inline constexpr unsigned long AMDKFD_IOC_SET_CU_MASK = _IOW(AMDKFD_IOCTL_BASE, 0x1a, kfd_ioctl_set_cu_mask_args);

// --- debugging, since 1.13
struct kfd_ioctl_runtime_enable_args {
    uint64_t r_debug;
    uint32_t mode_mask;  // 0: disable
    uint32_t capabilities_mask;
};
inline constexpr unsigned long AMDKFD_IOC_RUNTIME_ENABLE =
    _IOWR(AMDKFD_IOCTL_BASE, 0x25, kfd_ioctl_runtime_enable_args);
inline constexpr uint32_t KFD_IOC_DBG_TRAP_ENABLE = 0;
inline constexpr uint32_t KFD_IOC_DBG_TRAP_DISABLE = 1;
inline constexpr uint32_t KFD_IOC_DBG_TRAP_SUSPEND_QUEUES = 6;
inline constexpr uint32_t KFD_IOC_DBG_TRAP_RESUME_QUEUES = 7;
inline constexpr uint32_t KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT = 13;
// KFD sets these in the numbers of those queues that it did not suspend or resume: there is no such queue, or the
// debugger has not seen it yet; it failed (KFD_DBG_QUEUE_INVALID_MASK, KFD_DBG_QUEUE_ERROR_MASK).
inline constexpr uint32_t kQueueInvalid = uint32_t{1} << 31;
inline constexpr uint32_t kQueueError = uint32_t{1} << 30;
inline constexpr uint64_t kMaskQueueNew = uint64_t{1} << 30;  // KFD_EC_MASK(EC_QUEUE_NEW)

struct kfd_runtime_info {
    uint64_t r_debug;
    uint32_t runtime_state;
    uint32_t ttmp_setup;
};

struct kfd_queue_snapshot_entry {
    uint64_t exception_status;
    uint64_t addresses[4];
    uint32_t queue_id;
    uint32_t gpu_id;
    uint32_t ring_size;
    uint32_t queue_type;
    uint32_t ctx_save_restore_area_size;
    uint32_t reserved;
};
static_assert(sizeof(kfd_queue_snapshot_entry) == 64);

struct kfd_ioctl_dbg_trap_args {
    uint32_t pid;
    uint32_t op;
    union {
        struct {
            uint64_t exception_mask;
            uint64_t rinfo_ptr;
            uint32_t rinfo_size;
            uint32_t dbg_fd;
        } enable;
        struct {
            uint64_t exception_mask;
            uint64_t queue_array_ptr;
            uint32_t num_queues;
            uint32_t grace_period;
        } suspend_queues;
        struct {
            uint64_t queue_array_ptr;
            uint32_t num_queues;
            uint32_t pad;
        } resume_queues;
        struct {
            uint64_t exception_mask;
            uint64_t snapshot_buf_ptr;
            uint32_t num_queues;
            uint32_t entry_size;
        } queue_snapshot;
    };
};
static_assert(sizeof(kfd_ioctl_dbg_trap_args) == 32);
inline constexpr unsigned long AMDKFD_IOC_DBG_TRAP = _IOWR(AMDKFD_IOCTL_BASE, 0x26, kfd_ioctl_dbg_trap_args);

// --- of a patched driver alone: neither Linux nor ROCm's driver has them. The documents that describe XSched on AMD
// do.
inline constexpr uint32_t kPreemptSave = 2;
struct kfd_ioctl_preempt_queue_args {
    uint32_t queue_id;
    uint32_t preempt_type;
    uint32_t timeout_ms;
    uint32_t pad;
};
struct kfd_ioctl_resume_queue_args {
    uint32_t queue_id;
    uint32_t pad[3];
};
inline constexpr unsigned long AMDKFD_IOC_PREEMPT_QUEUE = _IOWR(AMDKFD_IOCTL_BASE, 0x87, kfd_ioctl_preempt_queue_args);
inline constexpr unsigned long AMDKFD_IOC_RESUME_QUEUE = _IOWR(AMDKFD_IOCTL_BASE, 0x88, kfd_ioctl_resume_queue_args);

}  // namespace xsched::hip::kfd
