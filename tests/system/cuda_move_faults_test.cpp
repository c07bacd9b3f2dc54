// Memory that makes room (docs/memory.md) while something goes wrong.
#include "system/memory_rig.h"

namespace xsched::test {
namespace {

// Has a block of 130 MiB, which is three pieces, and a few bytes that stay on the device. In each round it writes to
// the latter. When FREE is there it frees the block. When GO or STOP is there it sets the word for which its stream may
// wait, and compares the block.
constexpr const char* kBeside = R"(
import threading
BLOCK = 130 << 20
def allocate(size):
    memory = ctypes.c_uint64()
    check(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(size)), "cuMemAlloc")
    check(cuda.cuMemsetD32_v2(memory, ctypes.c_uint(0x51), ctypes.c_size_t(size // 4)), "set")
    check(cuda.cuStreamSynchronize(None), "synchronize")  # the other stream waits for the word from here on
    return memory
block, small, word = allocate(BLOCK), allocate(4096), ctypes.c_uint()
if "WAITS" in os.environ:
    check(cuda.cuStreamWaitValue32_v2(stream, small, ctypes.c_uint(0x52), 0), "wait")
over = threading.Event()
def rounds():
    cuda.cuCtxSetCurrent(context)
    count = 0
    while not over.is_set():
        check(cuda.cuMemsetD32_v2(ctypes.c_uint64(small.value + 2048), ctypes.c_uint(count), ctypes.c_size_t(4)), "set")
        count += 1
        if count % 20 == 0:
            print("round", flush=True)
        time.sleep(0.001)
worker = threading.Thread(target=rounds)
worker.start()
print("holds", flush=True)
end = time.time() + 60
while not os.path.exists(os.environ["STOP"]) and time.time() < end:
    if block and os.path.exists(os.environ["STOP"] + "-free"):
        check(cuda.cuMemFree_v2(block), "free")
        block = None
        print("freed", flush=True)
    if os.path.exists(os.environ["STOP"] + "-go"):
        check(cuda.cuMemsetD32_v2(small, ctypes.c_uint(0x52), ctypes.c_size_t(1)), "go")
    time.sleep(0.005)
over.set()
worker.join()
if "LOST" not in os.environ:
    check(cuda.cuMemsetD32_v2(small, ctypes.c_uint(0x52), ctypes.c_size_t(1)), "set")
    for at in range(0, BLOCK if block else 0, 1 << 20):
        check(cuda.cuMemcpyDtoH_v2(ctypes.byref(word), ctypes.c_uint64(block.value + at), ctypes.c_size_t(4)), "copy")
        if word.value != 0x51:
            print("wrong: %x at %d" % (word.value, at), flush=True)
            os._exit(3)
    if block:
        check(cuda.cuMemFree_v2(block), "free")
print("over True True", fake.fake_cuda_errors(), flush=True)
os._exit(0)
)";

class CudaMoveFaults : public CudaMemory {
protected:
    CudaMoveFaults() { card_mib_ = 256; }
    void start_beside(const Environment& more, const std::string& debug = "") {
        Environment environment = this->environment("130", 0, true, "holder");
        if (!debug.empty()) use_driver(environment, debug);
        for (const auto& [name, value] : more) environment[name] = value;
        beside = std::make_unique<Process>(std::vector<std::string>{"/usr/bin/python3", "-c", in_cuda(kBeside)},
                                           environment);
        ASSERT_TRUE(says(*beside, "holds")) << beside->out() << beside->err();
    }
    std::string logged() { return (beside->take_output(), beside->err()); }

    std::unique_ptr<Process> beside;
};

// The stream waits for a value that comes much later. Then the program makes room as others do.
TEST_F(CudaMoveFaults, MemoryWhoseWorkDoesNotEndStaysForAWhile) {
    start_beside({{"WAITS", "1"}}, "memory_wait=300");
    const auto taker = start(kTaker, "180", 10, false, "taker");
    EXPECT_TRUE(says(*taker, "code 2")) << taker->out() << taker->err();
    EXPECT_NE(logged().find("stays on the device for the next 1.2 s: its work did not end"), std::string::npos)
        << logged();
    EXPECT_TRUE(goes_on(*beside)) << beside->out() << beside->err();
    tell("taker");
    taker->wait();
    unlink((directory.path() + "/taker").c_str());
    tell("holder-go");
    const auto succeeds = [&] {
        const auto again = start(kTaker, "180", 10, false, "taker");
        says(*again, "code");
        if (again->out().find("code 0") != std::string::npos) return true;
        tell("taker");
        again->wait();
        unlink((directory.path() + "/taker").c_str());
        return false;
    };
    EXPECT_TRUE(eventually(succeeds)) << logged();
    tell("taker");
    EXPECT_TRUE(goes_on(*beside)) << beside->out() << beside->err();
    ends_well(*beside);
}

// A block of three pieces comes back to the device, and the driver refuses the second piece once. The return must be
// tried again as a whole.
TEST_F(CudaMoveFaults, AReturnThatFailsHalfWayIsMadeAgain) {
    // The numbers say which call fails: one of those that bring the block back. With HIP the block is a single piece,
    // so this is already the second call.
    const std::vector<std::string> faults =
        on_hip() ? std::vector<std::string>{"cuMemCreate:2:2", "cuMemMap:2:999", "cuMemSetAccess:2:999"}
                 : std::vector<std::string>{"cuMemCreate:5:2", "cuMemMap:5:999", "cuMemSetAccess:3:999"};
    for (const std::string& fault : faults) {
        start_beside({{"FAKE_CUDA_FAIL", fault}});
        const auto taker = start(kTaker, "180", 10, false, "taker");
        EXPECT_TRUE(says(*taker, "code 0")) << taker->out() << taker->err() << logged() << server->process().err();
        tell("taker");
        EXPECT_EQ(taker->wait(), 0);
        EXPECT_TRUE(goes_on(*beside)) << fault << beside->out() << beside->err();
        ends_well(*beside);
        for (const char* stop : {"taker", "holder"}) unlink((directory.path() + "/" + stop).c_str());
    }
}

// If the context fails while memory is moved, the memory is lost. The program gets the driver's errors, and does not
// wait forever.
TEST_F(CudaMoveFaults, MemoryOfAContextThatFailsIsLost) {
    const char* const fault =
        on_hip() ? "cuMemMap:2:719,cuCtxSynchronize:2:719" : "cuMemMap:5:719,cuCtxSynchronize:2:719";
    start_beside({{"FAKE_CUDA_FAIL", fault}, {"LOST", "1"}});
    const auto taker = start(kTaker, "180", 10, false, "taker");
    EXPECT_TRUE(says(*taker, "code 0")) << taker->out() << taker->err();
    tell("taker");
    EXPECT_EQ(taker->wait(), 0);
    EXPECT_TRUE(goes_on(*beside)) << beside->out() << beside->err();
    EXPECT_NE(logged().find("memory are lost"), std::string::npos) << logged();
    ends_well(*beside);
}

// If the program frees memory that is on the host, its threads go on, although the server is gone and gives no order.
TEST_F(CudaMoveFaults, ThreadsGoOnWhenMemoryIsFreedOnTheHost) {
    start_beside({});
    const auto taker = start(kTaker, "180", 10, false, "taker");
    EXPECT_TRUE(says(*taker, "code 0")) << taker->out() << taker->err();
    server->stop(SIGKILL);
    tell("holder-free");
    EXPECT_TRUE(says(*beside, "freed")) << beside->out() << beside->err();
    EXPECT_TRUE(goes_on(*beside)) << beside->out() << beside->err();
    ends_well(*beside);
    tell("taker");
}

// A block that does not fit into the host's memory stays, and a smaller one goes.
TEST_F(CudaMoveFaults, WithoutRoomOnTheHostMemoryStays) {
    start_beside({}, "memory_pool=64");
    const auto taker = start(kTaker, "180", 10, false, "taker");
    EXPECT_TRUE(says(*taker, "code 2")) << taker->out() << taker->err();
    EXPECT_TRUE(goes_on(*beside)) << beside->out() << beside->err();
    tell("taker");
    ends_well(*beside);
}

}  // namespace
}  // namespace xsched::test
