// The command that cuda_program enqueues ahead of its batches (CUDA_PROGRAM_AHEAD): it waits for something that only
// the program itself ends, later. On the program's thread.
#pragma once

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "order/cuda/driver.h"

namespace xsched::test {

class Ahead {
public:
    static bool wanted() { return form() != nullptr; }
    // Returns false if the driver refused.
    bool prepare() {
        void* memory = nullptr;
        if (!wanted()) return true;
        if (cuda::api().cuMemHostAlloc(&memory, sizeof(Word), CU_MEMHOSTALLOC_DEVICEMAP) != CUDA_SUCCESS ||
            cuda::api().cuMemHostGetDevicePointer_v2(&address_, memory, 0) != CUDA_SUCCESS)
            return false;
        word_ = static_cast<Word*>(memory);
        return true;
    }
    bool wait(CUstream stream) {
        const auto& api = cuda::api();
        word_->store(0);
        if (std::strcmp(form(), "function") == 0) return api.cuLaunchHostFunc(stream, until, word_) == CUDA_SUCCESS;
        if (std::strcmp(form(), "value") == 0)
            return api.cuStreamWaitValue32_v2(stream, address_, 1, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS;
        CUstreamBatchMemOpParams batch = {};
        batch.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
        batch.waitValue.address = address_;
        batch.waitValue.value = 1;
        batch.waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
        return api.cuStreamBatchMemOp_v2(stream, 1, &batch, 0) == CUDA_SUCCESS;
    }
    void end() { word_->store(1); }

private:
    using Word = std::atomic<uint32_t>;

    static const char* form() { return std::getenv("CUDA_PROGRAM_AHEAD"); }
    static void CUDA_CB until(void* word) {
        while (static_cast<Word*>(word)->load() == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }

    Word* word_ = nullptr;
    CUdeviceptr address_ = 0;
};

}  // namespace xsched::test
