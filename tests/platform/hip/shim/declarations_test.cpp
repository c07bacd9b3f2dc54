// XSched's own declarations of the runtime's functions against AMD's HIP headers: Debian 12's (5.2) in make test, 6.4's
// and 7.2's in make real-rocm. A difference does not compile. Enumerations count as int there, structures that XSched
// does not look into and function pointers as void. Functions that the headers do not have yet are not compared.
#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// Values of AMD's macros, kept under other names: our constants have the names of the macros.
constexpr auto kTheirNonBlocking = hipStreamNonBlocking, kTheirDisableTiming = hipEventDisableTiming,
               kTheirPortable = hipHostRegisterPortable, kTheirMapped = hipHostRegisterMapped,
               kTheirSignalMemory = hipMallocSignalMemory;
constexpr auto kTheirWaitGte = hipStreamWaitValueGte;
#ifdef hipEnablePerThreadDefaultStream  // from 7.2 on; before, the flag was told in comments alone
constexpr uint64_t kTheirPerThread = hipEnablePerThreadDefaultStream;
#undef hipEnablePerThreadDefaultStream
#else
constexpr uint64_t kTheirPerThread = 2;
#endif
#undef hipStreamNonBlocking
#undef hipEventDisableTiming
#undef hipHostRegisterPortable
#undef hipHostRegisterMapped
#undef hipMallocSignalMemory
#undef hipStreamWaitValueGte
#include "platform/hip/hal/api.h"
#include "platform/stream/shim/declarations.h"

namespace ours = xsched::hip;
static_assert(ours::hipStreamNonBlocking == kTheirNonBlocking && ours::hipEventDisableTiming == kTheirDisableTiming);
static_assert(ours::hipHostRegisterPortable == kTheirPortable && ours::hipHostRegisterMapped == kTheirMapped);
static_assert(ours::hipEnablePerThreadDefaultStream == kTheirPerThread);
static_assert(ours::hipMallocSignalMemory == kTheirSignalMemory && ours::hipStreamWaitValueGte == kTheirWaitGte);

#define SAME_STRUCTURE(name)                             \
    template <>                                          \
    struct Plain<::name> {                               \
        using Type = ours::name;                         \
    };                                                   \
    static_assert(sizeof(::name) == sizeof(ours::name)); \
    static_assert(std::is_trivially_copyable_v<::name>);
SAME_STRUCTURE(dim3)
SAME_STRUCTURE(hipExtent)
SAME_STRUCTURE(hipPitchedPtr)
SAME_STRUCTURE(hipMemLocation)
SAME_STRUCTURE(hipLaunchParams)
SAME_STRUCTURE(hipIpcEventHandle_t)
SAME_STRUCTURE(hipIpcMemHandle_t)
// As platform/stream/shim/memory/vendor_call.h has them.
static_assert(hipErrorOutOfMemory == 2 && hipErrorInvalidContext == 201 && hipErrorMapFailed == 205);
static_assert(hipErrorInvalidHandle == 400 && hipErrorContextIsDestroyed == 709 && hipErrorUnknown == 999);
static_assert(hipMemAllocationTypePinned == 1 && hipMemLocationTypeDevice == 1 && hipMemAccessFlagsProtReadWrite == 3);
#if HIP_VERSION_MAJOR >= 6  // before, the order was another
static_assert(sizeof(hipMemAccessDesc) == 12 && offsetof(hipMemAllocationProp, location) == 8);
static_assert(sizeof(hipMemAllocationProp) == 32 && offsetof(hipMemAllocationProp, allocFlags) == 24);
#endif
static_assert(offsetof(::hipLaunchParams, stream) == offsetof(ours::hipLaunchParams, stream));

// Handles stay what they are, and so does the one structure whose members are looked at; other pointers to structures
// are void. The place of const changes between versions.
template <typename T>
constexpr bool kHandle =
    std::is_same_v<T, ihipStream_t> || std::is_same_v<T, ihipEvent_t> || std::is_same_v<T, ihipModuleSymbol_t> ||
    std::is_same_v<T, ihipModule_t> || std::is_same_v<T, ihipCtx_t> || std::is_same_v<T, ihipMemPoolHandle_t> ||
    std::is_same_v<T, ihipGraph> || std::is_same_v<T, hipGraphNode> || std::is_same_v<T, hipGraphExec> ||
    std::is_same_v<T, hipArray> || std::is_same_v<T, ::hipLaunchParams> || std::is_same_v<T, ours::hipLaunchParams>;
template <typename T>
struct Plain<T*> {
    using Bare = std::remove_const_t<T>;
    static constexpr bool kData =
        std::is_function_v<Bare> || std::is_union_v<Bare> || (std::is_class_v<Bare> && !kHandle<Bare>);
    using Target = typename std::conditional_t<kData, Void, Plain<Bare>>::Type;
    using Type = Target*;
};

#define CHECK(name) \
    static_assert(kSame<decltype(&theirs::name), ours::declared::name>, #name " differs from hip_runtime_api.h");
#include "declarations.inc"

SAME_VALUE(hipSuccess)
SAME_VALUE(hipErrorInvalidValue)
SAME_VALUE(hipErrorNotInitialized)
SAME_VALUE(hipErrorDeinitialized)
SAME_VALUE(hipErrorNoDevice)
SAME_VALUE(hipErrorInvalidDevice)
SAME_VALUE(hipErrorInvalidContext)
SAME_VALUE(hipErrorInvalidHandle)
SAME_VALUE(hipErrorNotReady)
SAME_VALUE(hipErrorContextIsDestroyed)
SAME_VALUE(hipErrorHostMemoryAlreadyRegistered)
SAME_VALUE(hipErrorNotSupported)
SAME_VALUE(hipMemcpyDeviceToHost)
SAME_VALUE(HIP_POINTER_ATTRIBUTE_HOST_POINTER)
SAME_VALUE(HIP_POINTER_ATTRIBUTE_IS_MANAGED)
SAME_VALUE(HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
SAME_VALUE(HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR)
SAME_VALUE(HIP_POINTER_ATTRIBUTE_RANGE_SIZE)
SAME_VALUE(hipStreamCaptureStatusNone)
SAME_VALUE(hipStreamCaptureModeRelaxed)
