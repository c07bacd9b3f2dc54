// External semaphores: timelines that only this driver's streams signal, whatever they are said to be imported from.
#include "fake/cuda/capture.h"
#include "fake/cuda/context.h"
#include "fake/cuda/shared_event.h"

struct CUextSemaphore_st {
    fake::SharedEvent timeline{};  // `completed` is its value
};

using namespace fake;

namespace {

// Submits one command for each semaphore of a call to the stream: `fill(command, i)` says what that of the i-th one
// does.
template <typename Fill>
CUresult each(unsigned count, CUstream handle, Fill fill) {
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kOwnContext, &stream));
    for (unsigned i = 0; i < count; ++i) {
        Command command;
        fill(command, i);
        FAKE_TRY(submit(*stream, std::move(command), InCapture::kForbidden));
    }
    return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuImportExternalSemaphore(CUexternalSemaphore* semaphore,
                                           const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC* description) {
    FAKE_ENTRY();
    if (semaphore == nullptr || description == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *semaphore = new CUextSemaphore_st;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDestroyExternalSemaphore(CUexternalSemaphore semaphore) {
    FAKE_ENTRY();
    delete semaphore;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuSignalExternalSemaphoresAsync(const CUexternalSemaphore* semaphores,
                                                 const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* parameters,
                                                 unsigned int count, CUstream stream) {
    FAKE_ENTRY();
    return each(count, stream, [&](Command& command, unsigned i) {
        command.action = [semaphore = semaphores[i], value = parameters[i].params.fence.value] {
            complete_shared_event(semaphore->timeline, value);
        };
    });
}

CUresult CUDAAPI cuWaitExternalSemaphoresAsync(const CUexternalSemaphore* semaphores,
                                               const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS* parameters,
                                               unsigned int count, CUstream stream) {
    FAKE_ENTRY();
    return each(count, stream, [&](Command& command, unsigned i) {
        command.shared = &semaphores[i]->timeline;
        command.shared_number = parameters[i].params.fence.value;
    });
}
}
