// Commands that wait for what their device does not end are no work for it (queue/path/stand_places.h): a scheduler
// sees in the slot that the queue is not ready until the wait is over. An ordinary program under the shim, and a server
// that only looks. Compiled against order/hip it is a HIP program. It also runs on a real GPU.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>

#include "order/cuda/driver.h"
#include "order/cuda/kernels.h"
#include "support/eventually.h"
#include "support/one_server.h"

namespace {

using cuda::api;
using namespace xsched::test;

void* work_until_open(void* gate) {
    auto& open = *static_cast<std::atomic<uint32_t>*>(gate);
    while (open.load() == 0) std::this_thread::yield();
    return nullptr;
}
void CUDA_CB host_function(void* gate) { work_until_open(gate); }
void CUDA_CB callback(CUstream, CUresult, void* gate) { work_until_open(gate); }

class Standing : public WithOneServer {
protected:
    void SetUp() override {
        ASSERT_TRUE(cuda::available());
        ASSERT_EQ(api().cuDeviceGetCount(&devices), CUDA_SUCCESS);
        for (int device = devices > 1 ? 1 : 0; device >= 0; --device) {
            ASSERT_EQ(api().cuDevicePrimaryCtxRetain(&contexts[device], device), CUDA_SUCCESS);
            ASSERT_EQ(api().cuCtxPushCurrent_v2(contexts[device]), CUDA_SUCCESS);
        }
        CUmodule module = nullptr;
        ASSERT_EQ(api().cuModuleLoadData(&module, cuda::kKernels), CUDA_SUCCESS);
        ASSERT_EQ(api().cuModuleGetFunction(&append_, module, "append"), CUDA_SUCCESS);
        host_ = static_cast<Words*>(allocate(&words_));
        host_->result = 0;
        close();
    }

    struct Words {
        std::atomic<uint32_t> gate;
        uint32_t padding;
        std::atomic<uint64_t> wide;
        volatile uint32_t result;
    };
    static void* allocate(CUdeviceptr* address) {
        void* memory = nullptr;
        EXPECT_EQ(api().cuMemHostAlloc(&memory, 64, CU_MEMHOSTALLOC_DEVICEMAP), CUDA_SUCCESS);
        EXPECT_EQ(api().cuMemHostGetDevicePointer_v2(address, memory, 0), CUDA_SUCCESS);
        return memory;
    }
    CUstream make_stream() {
        CUstream stream = nullptr;
        EXPECT_EQ(api().cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0), CUDA_SUCCESS);
        work(stream);  // it has its slot from the first command on
        EXPECT_EQ(api().cuStreamSynchronize(stream), CUDA_SUCCESS);
        EXPECT_TRUE(s_server->wait_for_client());
        s_server->region().header.watching = 1;
        work(stream);
        EXPECT_EQ(api().cuStreamSynchronize(stream), CUDA_SUCCESS);
        EXPECT_TRUE(eventually([&] { return !has_work(stream); }));
        return stream;
    }
    void end(CUstream stream) {
        EXPECT_EQ(api().cuStreamSynchronize(stream), CUDA_SUCCESS);
        EXPECT_TRUE(eventually([&] { return !has_work(stream); }));
        EXPECT_EQ(api().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
        EXPECT_EQ(host_->result, expected_);
    }
    void work(CUstream stream) {
        CUdeviceptr result = words_ + offsetof(Words, result);
        uint32_t value = ++value_, count = 1;
        void* arguments[] = {&result, &value, &count};
        EXPECT_EQ(api().cuLaunchKernel(append_, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr), CUDA_SUCCESS);
        expected_ = expected_ * 31 + value;
    }
    void close() {
        host_->gate = 0;
        host_->wide = 0;
    }
    void open() {
        host_->wide = 1;
        host_->gate = 1;
    }
    CUresult wait_value(CUstream stream) const {
        return api().cuStreamWaitValue32_v2(stream, words_, 1, CU_STREAM_WAIT_VALUE_GEQ);
    }

    static xsched::ipc::SlotWork work_of(CUstream stream) { return xsched::ipc::work_of(slot_of(stream)); }
    static bool has_work(CUstream stream) { return work_of(stream).submitted != work_of(stream).completed; }
    static bool stands(CUstream stream) { return work_of(stream).stands; }
    static bool is_ready(CUstream stream) { return work_of(stream).ready; }
    static bool comes_to_stand(CUstream stream) {
        return eventually([&] { return stands(stream); });
    }

    // Puts work, then this wait, then work again into a queue, and demands that the queue stands at the wait.
    void expect_stand(const char* name, const std::function<CUresult(CUstream)>& wait) {
        SCOPED_TRACE(name);
        CUstream stream = make_stream();
        close();
        s_server->set_suspended(true);
        work(stream);
        ASSERT_EQ(wait(stream), CUDA_SUCCESS);
        work(stream);
        EXPECT_TRUE(is_ready(stream)) << "work before the wait is work";
        s_server->set_suspended(false);
        EXPECT_TRUE(comes_to_stand(stream));
        work(stream);
        let_time_pass();
        EXPECT_TRUE(stands(stream)) << "what is behind it stands as well";
        s_server->set_suspended(true);
        open();
        EXPECT_TRUE(eventually([&] { return is_ready(stream); })) << "though it is suspended";
        let_time_pass();
        EXPECT_TRUE(has_work(stream));
        s_server->set_suspended(false);
        end(stream);
    }

    int devices = 0;
    CUcontext contexts[2] = {};
    CUdeviceptr words_ = 0;
    Words* host_ = nullptr;

private:
    CUfunction append_ = nullptr;
    uint32_t value_ = 0;
    uint32_t expected_ = 0;
};

TEST_F(Standing, AtAValueThatTheHostStores) {
    expect_stand("32 bits", [&](CUstream stream) { return wait_value(stream); });
    if (api().cuStreamWaitValue64_v2 == nullptr) return;
    expect_stand("64 bits", [&](CUstream stream) {
        return api().cuStreamWaitValue64_v2(stream, words_ + offsetof(Words, wide), 1, CU_STREAM_WAIT_VALUE_GEQ);
    });
}

TEST_F(Standing, AtABatchWithAWait) {
    expect_stand("batch", [&](CUstream stream) {
        CUstreamBatchMemOpParams operations[2] = {};
        operations[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
        operations[0].writeValue.address = words_ + offsetof(Words, padding);
        operations[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
        operations[1].waitValue.address = words_;
        operations[1].waitValue.value = 1;
        operations[1].waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
        return api().cuStreamBatchMemOp_v2(stream, 2, operations, 0);
    });
}

TEST_F(Standing, ABatchThatOnlyWritesIsNoWait) {
    CUstream stream = make_stream();
    s_server->set_suspended(true);
    work(stream);
    CUstreamBatchMemOpParams write = {};
    write.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    write.writeValue.address = words_ + offsetof(Words, padding);
    ASSERT_EQ(api().cuStreamBatchMemOp_v2(stream, 1, &write, 0), CUDA_SUCCESS);
    for (const auto& at : slot_of(stream).stands_at) EXPECT_EQ(at, 0u);
    s_server->set_suspended(false);
    end(stream);
}

TEST_F(Standing, AtAHostFunction) {
    expect_stand("function",
                 [&](CUstream stream) { return api().cuLaunchHostFunc(stream, host_function, &host_->gate); });
    expect_stand("callback",
                 [&](CUstream stream) { return api().cuStreamAddCallback(stream, callback, &host_->gate, 0); });
}

TEST_F(Standing, AtASemaphore) {
    CUexternalSemaphore semaphore = nullptr;
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC nothing = {};
    nothing.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    if (api().cuImportExternalSemaphore == nullptr ||
        api().cuImportExternalSemaphore(&semaphore, &nothing) != CUDA_SUCCESS)
        GTEST_SKIP() << "this driver imports none from nothing";
    CUstream stream = make_stream(), other = make_stream();
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = {};
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = {};
    wait.params.fence.value = signal.params.fence.value = 1;
    ASSERT_EQ(api().cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream), CUDA_SUCCESS);
    work(stream);
    EXPECT_TRUE(comes_to_stand(stream));
    ASSERT_EQ(api().cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, other), CUDA_SUCCESS);
    end(stream);
    end(other);
    EXPECT_EQ(api().cuDestroyExternalSemaphore(semaphore), CUDA_SUCCESS);
}

TEST_F(Standing, AtAnEventOfAnotherDevice) {
    if (devices < 2) GTEST_SKIP() << "there is only one device";
    CUevent event = nullptr;
    CUstream other = nullptr;
    ASSERT_EQ(api().cuCtxPushCurrent_v2(contexts[1]), CUDA_SUCCESS);
    ASSERT_EQ(api().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    ASSERT_EQ(api().cuStreamCreateWithPriority(&other, CU_STREAM_NON_BLOCKING, 0), CUDA_SUCCESS);
    ASSERT_EQ(api().cuCtxPushCurrent_v2(contexts[0]), CUDA_SUCCESS);
    CUstream stream = make_stream();
    close();
    ASSERT_EQ(api().cuCtxPushCurrent_v2(contexts[1]), CUDA_SUCCESS);
    ASSERT_EQ(api().cuLaunchHostFunc(other, host_function, &host_->gate), CUDA_SUCCESS);
    ASSERT_EQ(api().cuEventRecord(event, other), CUDA_SUCCESS);
    ASSERT_EQ(api().cuCtxPushCurrent_v2(contexts[0]), CUDA_SUCCESS);
    ASSERT_EQ(api().cuStreamWaitEvent(stream, event, 0), CUDA_SUCCESS);
    work(stream);
    EXPECT_TRUE(comes_to_stand(stream));
    EXPECT_TRUE(comes_to_stand(other));
    open();
    end(stream);
    ASSERT_EQ(api().cuCtxPushCurrent_v2(contexts[1]), CUDA_SUCCESS);
    EXPECT_EQ(api().cuStreamSynchronize(other), CUDA_SUCCESS);
    EXPECT_EQ(api().cuStreamDestroy_v2(other), CUDA_SUCCESS);
    EXPECT_EQ(api().cuEventDestroy_v2(event), CUDA_SUCCESS);
}

TEST_F(Standing, AtAnEventOfAStreamThatStands) {
    CUevent event = nullptr;
    ASSERT_EQ(api().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    CUstream first = make_stream(), second = make_stream();
    for (const bool standing : {false, true}) {
        close();
        const CUresult waits = standing ? wait_value(first) : CUDA_SUCCESS;
        ASSERT_EQ(waits, CUDA_SUCCESS);
        ASSERT_EQ(api().cuEventRecord(event, first), CUDA_SUCCESS);
        ASSERT_EQ(api().cuStreamWaitEvent(second, event, 0), CUDA_SUCCESS);
        work(second);
        EXPECT_TRUE(!standing || comes_to_stand(second));
        open();
        EXPECT_EQ(api().cuStreamSynchronize(second), CUDA_SUCCESS);
        EXPECT_EQ(api().cuStreamSynchronize(first), CUDA_SUCCESS);
    }
    end(first);
    end(second);
    EXPECT_EQ(api().cuEventDestroy_v2(event), CUDA_SUCCESS);
}

TEST_F(Standing, AWaitThatIsOverKeepsNothing) {
    CUstream stream = make_stream();
    open();
    for (int i = 0; i < 50; ++i) {
        ASSERT_EQ(wait_value(stream), CUDA_SUCCESS);
        work(stream);
    }
    end(stream);
}

// A graph's wait is the graph's.
TEST_F(Standing, ACapturedHostFunctionIsNoWaitOfTheStream) {
    CUstream stream = make_stream();
    CUgraph graph = nullptr;
    ASSERT_EQ(api().cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
    const uint64_t before = slot_of(stream).submitted;
    ASSERT_EQ(api().cuLaunchHostFunc(stream, host_function, &host_->gate), CUDA_SUCCESS);
    EXPECT_EQ(slot_of(stream).submitted, before);
    EXPECT_FALSE(stands(stream));
    ASSERT_EQ(api().cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
    EXPECT_EQ(api().cuGraphDestroy(graph), CUDA_SUCCESS);
    work(stream);
    end(stream);
}

// Host and stream go hand in hand, and other threads launch on the same stream: nothing is lost or out of order.
TEST_F(Standing, ManyWaitsWithOnlookersComingAndGoing) {
    CUstream stream = make_stream();
    std::atomic<bool> stop{false};
    std::thread onlooker([&] {
        for (bool watching = false; !stop; watching = !watching) {
            s_server->region().header.watching = watching ? 1 : 0;
            std::this_thread::sleep_for(std::chrono::microseconds(300));
        }
    });
    for (int i = 0; i < 300; ++i) {
        close();
        work(stream);
        ASSERT_EQ(wait_value(stream), CUDA_SUCCESS);
        work(stream);
        if (i % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
        open();
        work(stream);
        ASSERT_EQ(api().cuStreamSynchronize(stream), CUDA_SUCCESS);
    }
    stop = true;
    onlooker.join();
    s_server->region().header.watching = 1;
    work(stream);
    end(stream);
}

}  // namespace
