// CANN's runtime as far as XSched uses it: libascendcl.so (acl*), and libruntime.so below it (rt*). The declarations
// are XSched's own, so that no CANN is needed. Handles, which are void* in the vendor's headers, are types of their own
// here; enumerations that are not used are int, and structures whose members are not used are void; none of it changes
// how a call is made. Types and constants have the vendor's names (hicann/runtime 681ef76, include/external/acl).
#pragma once

#include <cstddef>
#include <cstdint>

struct XascStream;
struct XascContext;
struct XascEvent;
struct XascFunction;
struct XascModel;
struct XascNotify;

namespace xsched::ascend {

using aclError = int;
using aclrtStream = ::XascStream*;
using aclrtContext = ::XascContext*;
using aclrtEvent = ::XascEvent*;
using aclrtFuncHandle = ::XascFunction*;
using aclmdlRI = ::XascModel*;
using aclrtNotify = ::XascNotify*;
enum aclrtStreamStatus : int { ACL_STREAM_STATUS_COMPLETE = 0 };
enum aclrtEventStatus : int { ACL_EVENT_STATUS_COMPLETE = 0 };
enum aclrtEventRecordedStatus : int { ACL_EVENT_RECORDED_STATUS_NOT_READY = 0, ACL_EVENT_RECORDED_STATUS_COMPLETE = 1 };

struct dim3 {
    uint32_t x, y, z;
};
struct aclrtMemManagedLocation {
    int type;
    int id;
};
struct aclrtStreamConfigHandle {
    void* workptr;
    size_t workSize;
    size_t flag;
    uint32_t priority;
};

inline constexpr aclError ACL_SUCCESS = 0;
inline constexpr aclError ACL_ERROR_RT_CONTEXT_NULL = 107002;
inline constexpr aclError ACL_ERROR_RT_STREAM_CONTEXT = 107003;
inline constexpr aclError ACL_ERROR_RT_INVALID_HANDLE = 107017;
inline constexpr aclError ACL_ERROR_RT_FEATURE_NOT_SUPPORT = 207000;
inline constexpr aclError ACL_ERROR_RT_NO_DEVICE = 207004;
inline constexpr aclError ACL_ERROR_RT_MEMORY_ALLOCATION = 207001;
inline constexpr aclError ACL_ERROR_RT_CONTEXT_RELEASE_ERROR = 507007;
inline constexpr uint32_t ACL_EVENT_CAPTURE_STREAM_PROGRESS = 2;
inline constexpr uint32_t ACL_STREAM_PERSISTENT = 4;  // of acl's functions
inline constexpr uint32_t RT_STREAM_PERSISTENT = 1;  // the same of the runtime library's
inline constexpr int ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0;
inline constexpr int ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2;

}  // namespace xsched::ascend

namespace xsched {
namespace vendor = ascend;
}
#include "platform/stream/hal/functions.h"
