// External semaphores. HIP's descriptions and parameters have CUDA's layout.
#include "fake/hip/runtime.h"

namespace hip_layer {
namespace {

const CUexternalSemaphore* cu_semaphores(void* const* semaphores) {
    return reinterpret_cast<const CUexternalSemaphore*>(semaphores);
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
    HIP_TRY(use_stream(stream));
    return static_cast<hipError_t>(cu().cuSignalExternalSemaphoresAsync(
        cu_semaphores(semaphores), static_cast<const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS*>(parameters), count,
        cu_stream(stream)));
}
HIP_FUNCTION(hipWaitExternalSemaphoresAsync,
             (void* const* semaphores, const void* parameters, unsigned count, hipStream_t stream),
             (semaphores, parameters, count, stream)) {
    HIP_TRY(use_stream(stream));
    return static_cast<hipError_t>(cu().cuWaitExternalSemaphoresAsync(
        cu_semaphores(semaphores), static_cast<const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS*>(parameters), count,
        cu_stream(stream)));
}
