// The driver's checkpoint of another process (driver 570): its memory leaves the device, and its calls wait. The
// functions have names of their own here, since only newer toolkits declare them.
#include <unistd.h>

#include "fake/cuda/card.h"
#include "fake/cuda/settings.h"

namespace fake {
namespace {

constexpr CUresult kIllegalState = static_cast<CUresult>(401);
constexpr useconds_t kCallsEndUs = 20'000;  // until calls that were inside have returned

CUresult change(int pid, int from, int to) {
    if (checkpoint_state(pid) < 0) return CUDA_ERROR_INVALID_VALUE;
    return change_checkpoint(pid, from, to) ? CUDA_SUCCESS : kIllegalState;
}

}  // namespace

CUresult get_state(int pid, int* state) asm("cuCheckpointProcessGetState");
CUresult get_state(int pid, int* state) {
    FAKE_ENTRY();
    *state = checkpoint_state(pid);
    return *state < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult lock_process(int pid, void* arguments) asm("cuCheckpointProcessLock");
CUresult lock_process(int pid, void* /*arguments*/) {
    FAKE_ENTRY();
    const CUresult code = change(pid, kRunning, kLocked);
    if (code == CUDA_SUCCESS) usleep(kCallsEndUs);
    return code;
}

CUresult checkpoint_process(int pid, void* arguments) asm("cuCheckpointProcessCheckpoint");
CUresult checkpoint_process(int pid, void* /*arguments*/) {
    FAKE_ENTRY();
    return change(pid, kLocked, kCheckpointed);
}

CUresult restore_process(int pid, void* arguments) asm("cuCheckpointProcessRestore");
CUresult restore_process(int pid, void* /*arguments*/) {
    FAKE_ENTRY();
    return change(pid, kCheckpointed, kLocked);
}

CUresult unlock_process(int pid, void* arguments) asm("cuCheckpointProcessUnlock");
CUresult unlock_process(int pid, void* /*arguments*/) {
    FAKE_ENTRY();
    return change(pid, kLocked, kRunning);
}

}  // namespace fake
