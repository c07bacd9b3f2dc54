// External semaphores. HIP's descriptions and parameters have CUDA's layout.
#include "fake/hip/runtime.h"

namespace hip_layer {
namespace {

const CUexternalSemaphore* cu_semaphores(void* const* semaphores) {
    return reinterpret_cast<const CUexternalSemaphore*>(semaphores);
}

template <typename Parameters>
hipError_t in_order(CUresult (*call)(const CUexternalSemaphore*, const Parameters*, unsigned, CUstream),
                    void* const* semaphores, const void* parameters, unsigned count, hipStream_t stream) {
    HIP_TRY(use_stream(stream));
    return static_cast<hipError_t>(
        call(cu_semaphores(semaphores), static_cast<const Parameters*>(parameters), count, cu_stream(stream)));
}

}  // namespace
}  // namespace hip_layer

HIP_FUNCTION(hipImportExternalSemaphore, (void** semaphore, const void* description), (semaphore, description)) {
    HIP_TRY(use_device(current_device()));
    return static_cast<hipError_t>(
        cu().cuImportExternalSemaphore(reinterpret_cast<CUexternalSemaphore*>(semaphore),
                                       static_cast<const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC*>(description)));
}
HIP_FUNCTION(hipDestroyExternalSemaphore, (void* semaphore), (semaphore)) {
    return static_cast<hipError_t>(cu().cuDestroyExternalSemaphore(static_cast<CUexternalSemaphore>(semaphore)));
}
HIP_FUNCTION(hipSignalExternalSemaphoresAsync,
             (void* const* semaphores, const void* parameters, unsigned count, hipStream_t stream),
             (semaphores, parameters, count, stream)) {
    return in_order(cu().cuSignalExternalSemaphoresAsync, semaphores, parameters, count, stream);
}
HIP_FUNCTION(hipWaitExternalSemaphoresAsync,
             (void* const* semaphores, const void* parameters, unsigned count, hipStream_t stream),
             (semaphores, parameters, count, stream)) {
    return in_order(cu().cuWaitExternalSemaphoresAsync, semaphores, parameters, count, stream);
}
