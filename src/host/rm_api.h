// The requests of level 3 to NVIDIA's kernel driver (its resource manager, RM): structures and numbers of its ioctl
// interface, declared here as far as they are used. Names are the vendor's. The source of each is NVIDIA's published
// driver, open-gpu-kernel-modules; the file in it stands beside each part. Nothing here depends on a driver's version:
// sizes that changed between versions are told apart by the size that comes with the call, and everything else is found
// out by calling.
#pragma once

#include <sys/ioctl.h>

#include <cstddef>
#include <cstdint>

namespace xsched::cuda::rm {

using NvHandle = uint32_t;

// --- /dev/nvidiactl: kernel-open/common/inc/nv.h, nv-chardev-numbers.h
inline constexpr unsigned NV_MAJOR_DEVICE_NUMBER = 195;
inline constexpr unsigned NV_MINOR_DEVICE_NUMBER_CONTROL_DEVICE = 255;

// --- kernel-open/common/inc/nv-ioctl-numbers.h, nv-ioctl.h; src/nvidia/arch/nvalloc/unix/include/nv_escape.h
inline constexpr unsigned NV_IOCTL_MAGIC = 'F';
inline constexpr unsigned NV_ESC_RM_FREE = 0x29;
inline constexpr unsigned NV_ESC_RM_CONTROL = 0x2A;
inline constexpr unsigned NV_ESC_RM_ALLOC = 0x2B;
inline constexpr unsigned NV_ESC_RM_DUP_OBJECT = 0x34;
inline constexpr unsigned NV_ESC_IOCTL_XFER_CMD = 200 + 11;

// The argument of NV_ESC_IOCTL_XFER_CMD, which makes any other request: that request's number, and the address and size
// of its own argument.
struct nv_ioctl_xfer_t {
    uint32_t cmd;
    uint32_t size;
    uint64_t ptr;
};
static_assert(sizeof(nv_ioctl_xfer_t) == 16);

// --- src/common/sdk/nvidia/inc/nvos.h
struct NVOS00_PARAMETERS {  // NV_ESC_RM_FREE
    NvHandle hRoot;
    NvHandle hObjectParent;
    NvHandle hObjectOld;
    uint32_t status;
};
static_assert(sizeof(NVOS00_PARAMETERS) == 16);

struct NVOS55_PARAMETERS {  // NV_ESC_RM_DUP_OBJECT
    NvHandle hClient;
    NvHandle hParent;  // of the new object
    NvHandle hObject;
    NvHandle hClientSrc;
    NvHandle hObjectSrc;
    uint32_t flags;
    uint32_t status;
};
static_assert(sizeof(NVOS55_PARAMETERS) == 28);

struct NVOS21_PARAMETERS {  // NV_ESC_RM_ALLOC, the short form; before release 530 without paramsSize, of the same size
    NvHandle hRoot;
    NvHandle hObjectParent;
    NvHandle hObjectNew;  // 0: the kernel chooses the handle
    uint32_t hClass;
    uint64_t pAllocParms;
    uint32_t paramsSize;
    uint32_t status;
};
static_assert(sizeof(NVOS21_PARAMETERS) == 32);

struct NVOS64_PARAMETERS {  // NV_ESC_RM_ALLOC, the long form
    NvHandle hRoot;
    NvHandle hObjectParent;
    NvHandle hObjectNew;
    uint32_t hClass;
    uint64_t pAllocParms;
    uint64_t pRightsRequested;
    uint32_t paramsSize;
    uint32_t flags;
    uint32_t status;
};
static_assert(sizeof(NVOS64_PARAMETERS) == 48);
inline constexpr size_t kOldNVOS64Bytes = 40;  // before release 530: no paramsSize; the first six members are the same

struct NVOS54_PARAMETERS {  // NV_ESC_RM_CONTROL
    NvHandle hClient;
    NvHandle hObject;
    uint32_t cmd;
    uint32_t flags;
    uint64_t params;
    uint32_t paramsSize;
    uint32_t status;
};
static_assert(sizeof(NVOS54_PARAMETERS) == 32);

inline constexpr unsigned long kControlRequest = _IOWR('F', 0x2A, NVOS54_PARAMETERS);
static_assert(kControlRequest == 0xc020462a);

// --- classes of objects (src/common/sdk/nvidia/inc/class/cl*.h)
inline constexpr uint32_t NV01_ROOT = 0x0;
inline constexpr uint32_t NV01_ROOT_NON_PRIV = 0x1;
inline constexpr uint32_t NV01_ROOT_CLIENT = 0x41;
inline constexpr uint32_t NV01_DEVICE_0 = 0x80;
inline constexpr uint32_t NV20_SUBDEVICE_0 = 0x2080;
inline constexpr uint32_t KEPLER_CHANNEL_GROUP_A = 0xa06c;
inline constexpr uint32_t AMPERE_SMC_PARTITION_REF = 0xc637;
// Every generation of GPUs has a channel class of its own, whose number ends in 6f: KEPLER_CHANNEL_GPFIFO_A 0xa06f,
// ..., VOLTA 0xc36f, TURING 0xc46f, AMPERE 0xc56f, HOPPER 0xc86f, BLACKWELL 0xc96f and 0xca6f.
inline constexpr uint32_t kFirstChannelClass = 0xa06f;
inline bool is_channel_class(uint32_t hClass) {
    return (hClass & 0xff) == 0x6f && hClass >= kFirstChannelClass && hClass <= 0xffff;
}
inline bool is_root_class(uint32_t hClass) {
    return hClass == NV01_ROOT || hClass == NV01_ROOT_NON_PRIV || hClass == NV01_ROOT_CLIENT;
}

struct NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS {  // nvos.h; members after engineType are not used
    NvHandle hObjectError;
    NvHandle hObjectEccError;
    NvHandle hVASpace;
    uint32_t engineType;
};

// Engines that run kernels: GR0, and with MIG GR1 to GR7 (class/cl2080_notification.h, NV2080_ENGINE_TYPE_GR).
inline constexpr uint32_t NV2080_ENGINE_TYPE_GR0 = 0x1;
inline constexpr uint32_t NV2080_ENGINE_TYPE_COPY0 = 0x9;
inline constexpr uint32_t NV2080_ENGINE_TYPE_COPY9 = 0x12;
inline constexpr uint32_t kLastGraphicsEngine = 0x8;
inline bool is_compute_engine(uint32_t engine) {
    return engine >= NV2080_ENGINE_TYPE_GR0 && engine <= kLastGraphicsEngine;
}
inline bool is_copy_engine(uint32_t engine) {
    return engine >= NV2080_ENGINE_TYPE_COPY0 && engine <= NV2080_ENGINE_TYPE_COPY9;
}

// --- controls
// ctrl/ctrl2080/ctrl2080fifo.h, on a subdevice
inline constexpr uint32_t NV2080_CTRL_CMD_FIFO_DISABLE_CHANNELS = 0x2080110b;
inline constexpr uint32_t NV2080_CTRL_FIFO_DISABLE_CHANNELS_MAX_ENTRIES = 64;
struct NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS {
    uint8_t bDisable;
    uint32_t numChannels;
    uint8_t bOnlyDisableScheduling;
    uint8_t bRewindGpPut;
    uint64_t pRunlistPreemptEvent;  // 0: the call returns when the channels are off the device
    NvHandle hClientList[NV2080_CTRL_FIFO_DISABLE_CHANNELS_MAX_ENTRIES];
    NvHandle hChannelList[NV2080_CTRL_FIFO_DISABLE_CHANNELS_MAX_ENTRIES];
};
static_assert(sizeof(NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS) == 536);

// ctrl/ctrla06c.h, on a channel group
inline constexpr uint32_t NVA06C_CTRL_CMD_SET_TIMESLICE = 0xa06c0103;
inline constexpr uint32_t NVA06C_CTRL_CMD_GET_TIMESLICE = 0xa06c0104;
struct NVA06C_CTRL_TIMESLICE_PARAMS {
    uint64_t timesliceUs;
};

// ctrl/ctrl2080/ctrl2080gpu.h, on a subdevice
inline constexpr uint32_t NV2080_CTRL_CMD_GPU_GET_ID = 0x20800142;
struct NV2080_CTRL_GPU_GET_ID_PARAMS {
    uint32_t gpuId;
};

// ctrl/ctrl0000/ctrl0000gpu.h, on the client
inline constexpr uint32_t NV0000_CTRL_CMD_GPU_GET_PCI_INFO = 0x21b;
struct NV0000_CTRL_GPU_GET_PCI_INFO_PARAMS {
    uint32_t gpuId;
    uint32_t domain;
    uint16_t bus;
    uint16_t slot;
};

// --- answers (src/common/sdk/nvidia/inc/nvstatuscodes.h): those that a sentence is made of
enum Answer : uint32_t {
    NV_OK = 0x0,
    NV_ERR_INSUFFICIENT_PERMISSIONS = 0x1b,
    NV_ERR_INVALID_CHANNEL = 0x21,
    NV_ERR_INVALID_CLIENT = 0x23,
    NV_ERR_INVALID_OBJECT = 0x31,
    NV_ERR_INVALID_OBJECT_HANDLE = 0x33,
    NV_ERR_INVALID_OBJECT_PARENT = 0x36,
    NV_ERR_INVALID_STATE = 0x40,
    NV_ERR_NOT_SUPPORTED = 0x56,
    NV_ERR_OBJECT_NOT_FOUND = 0x57,
};

}  // namespace xsched::cuda::rm
