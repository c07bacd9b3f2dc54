// Memory that a program with victims frees is kept for its next allocations
// (platform/stream/shim/memory/spare_memory.h), and the program sees nothing of that.
#include "system/keep_alive_rig.h"

namespace xsched::test {
namespace {

constexpr const char* kBegin = R"(
MIB = 1 << 20

def allocate(size, function=cuda.cuMemAlloc_v2, *more):
    memory = ctypes.c_uint64()
    code = function(ctypes.byref(memory), ctypes.c_size_t(size), *more)
    return memory if code == 0 else None

def fill(memory, value=0):
    cuda.cuMemsetD8Async(memory, ctypes.c_ubyte(value), ctypes.c_size_t(4096), stream)

def freed(memory):
    """Whether the driver was told."""
    before = fake.fake_cuda_calls(b"cuMemFree_v2")
    code = cuda.cuMemFree_v2(memory)
    return fake.fake_cuda_calls(b"cuMemFree_v2") - before if code == 0 else "error %d" % code

def free_bytes():
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
    return free.value

def say(*words):
    print(*words, flush=True)
    signal.sigwait({signal.SIGUSR1})

one = allocate(MIB)
fill(one)
cuda.cuStreamSynchronize(stream)
say("ready")
)";

class CudaSpareMemory : public CudaKeepAlive {
protected:
    // Returns the output of a program that goes on with `text` once it has victims.
    std::string says_of(const std::string& text, const Environment& more = {}) {
        program_ = std::make_unique<Process>(
            std::vector<std::string>{"/usr/bin/python3", "-c", in_cuda(kBegin + text + "say('over')\n")},
            environment(more));
        EXPECT_TRUE(server.wait_for_client());
        want_keep_alives();
        EXPECT_TRUE(says("ready\n", 0)) << program_->err();
        EXPECT_TRUE(eventually([&] { return server.region().header.keeps_alive != 0; })) << program_->err();
        return next("over\n");
    }
    std::string next(const std::string& word) {
        const size_t before = program_->out().size();
        kill(program_->pid(), SIGUSR1);
        EXPECT_TRUE(says(word, before)) << program_->out() << program_->err();
        return program_->out().substr(before);
    }
    bool says(const std::string& word, size_t from) {
        return eventually(
            [&] { return (program_->take_output(), program_->out().find(word, from) != std::string::npos); });
    }
    std::unique_ptr<Process> program_;
};

TEST_F(CudaSpareMemory, WhatWasFreedIsTheNextAllocationOfItsSize) {
    EXPECT_EQ(says_of(R"(
print(freed(one), allocate(2 * MIB).value == one.value, allocate(MIB).value == one.value)
print(freed(one))
)"),
              "0 False True\n0\nover\n");
}

TEST_F(CudaSpareMemory, NothingChangesPlaces) {
    favoured = "synchronize,memory";
    threads = "1";
    check(XSCHED_OPERATIONS, {{"XLOG_LEVEL", "DEBG"}});
    EXPECT_NE(logged.find("gets memory that was kept"), std::string::npos);
}

TEST_F(CudaSpareMemory, WhileWorkIsUnderWayTheDriverWaitsForIt) {
    EXPECT_EQ(says_of("fill(one)\nprint(freed(one))\n"), "1\nover\n");
}

// If a stream of the program is not scheduled, no freed memory is kept as a spare, since no report tells when that
// stream's work is complete.
TEST_F(CudaSpareMemory, NorIsAnythingKeptWhereAStreamIsNotScheduled) {
    EXPECT_EQ(says_of(R"(
other = ctypes.c_void_p()
cuda.cuStreamCreate(ctypes.byref(other), 1)
os.environ["FAKE_CUDA_FAIL"] = ",".join("cuCtxGetDevice:%d:999" % nth for nth in range(1, 50))
fake.fake_cuda_reload()
cuda.cuMemsetD8Async(one, ctypes.c_ubyte(0), ctypes.c_size_t(4096), other)
os.environ["FAKE_CUDA_FAIL"] = ""
fake.fake_cuda_reload()
cuda.cuStreamSynchronize(other)
print(freed(one))
)"),
              "1\nover\n");
}

TEST_F(CudaSpareMemory, FreedTwiceIsAnErrorAsNatively) {
    EXPECT_EQ(says_of("print(freed(one), freed(one), freed(one))\n"), "0 error 1 error 1\nover\n");
}

TEST_F(CudaSpareMemory, NeitherManagedMemoryNorAPoolsNorThatOfAnotherContext) {
    EXPECT_EQ(says_of(R"(
print(freed(allocate(MIB, cuda.cuMemAllocManaged, 1)))
pooled = allocate(MIB, cuda.cuMemAllocAsync, stream)
cuda.cuStreamSynchronize(stream)
print(freed(pooled))
other = ctypes.c_void_p()
cuda.cuCtxCreate_v2(ctypes.byref(other), 0, 0)
print(freed(one))
)"),
              "1\n1\n1\nover\n");
}

// Memory that the program did not allocate through the shim, such as memory that another process exported, goes back to
// the driver when it is freed.
TEST_F(CudaSpareMemory, NorWhatTheProgramDidNotAllocateItself) {
    EXPECT_EQ(says_of("foreign = allocate(MIB, fake.cuMemAlloc_v2)\nprint(freed(foreign))\n"), "1\nover\n");
}

TEST_F(CudaSpareMemory, WhoAsksHowMuchIsFreeIsToldAsMuchAsNatively) {
    EXPECT_EQ(says_of("before = free_bytes()\nprint(freed(one))\nprint(free_bytes() - before)\n"),
              "0\n1048576\nover\n");
}

TEST_F(CudaSpareMemory, NoAllocationFailsForItsSake) {
    EXPECT_EQ(says_of("print(freed(one), allocate(7 * MIB) is not None)\n", {{"FAKE_CUDA_MEMORY", "8000000"}}),
              "0 True\nover\n");
}

TEST_F(CudaSpareMemory, NorDoesOneOfAnotherKind) {
    EXPECT_EQ(says_of(R"(
pitch = ctypes.c_size_t()
def pitched(memory, rows):
    return cuda.cuMemAllocPitch_v2(memory, ctypes.byref(pitch), ctypes.c_size_t(MIB), rows, 4)
print(freed(one), allocate(7, pitched) is not None)
)",
                      {{"FAKE_CUDA_MEMORY", "8000000"}}),
              "0 True\nover\n");
}

TEST_F(CudaSpareMemory, OnlySoMuchIsKept) {
    EXPECT_EQ(says_of(R"(
more = [allocate(MIB) for _ in range(3)]
print([freed(memory) for memory in more])
)",
                      {{"XSCHED_DEBUG", "spare_memory=2097152"}}),
              "[0, 0, 1]\nover\n");
}

TEST_F(CudaSpareMemory, OrNothingAtAll) {
    EXPECT_EQ(says_of("print(freed(one))\n", {{"XSCHED_DEBUG", "spare_memory=0"}}), "1\nover\n");
}

TEST_F(CudaSpareMemory, WhoMayHaveShownMemoryKeepsNone) {
    EXPECT_EQ(says_of(R"(
two, flag = allocate(MIB), ctypes.c_uint(1)
print(freed(two))
cuda.cuPointerSetAttribute(ctypes.byref(flag), 6, one)
print(freed(one))
)"),
              "0\n1\nover\n");
}

TEST_F(CudaSpareMemory, ItGoesWithTheVictims) {
    EXPECT_EQ(says_of(R"(
before = fake.fake_cuda_live(b"memory")
print(freed(one), fake.fake_cuda_live(b"memory") - before)
say("over")
two = allocate(4096)
print(fake.fake_cuda_live(b"memory") - before)
)"),
              "0 0\nover\n");
    server.region().header.keep_alive_wanted = 0;
    EXPECT_EQ(next("over\n"), "0\nover\n") << "one was freed, another allocated";
}

// Freeing waits for all of the process's work, and an allocation does not.
TEST_F(CudaSpareMemory, NotWhileThatWouldWait) {
    EXPECT_EQ(says_of(R"(
import threading
print(freed(one))
say("over")
done = threading.Event()
function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: done.wait())
cuda.cuLaunchHostFunc(stream, function, None)
before = fake.fake_cuda_calls(b"cuMemFree_v2")
print(allocate(4096) is not None, fake.fake_cuda_calls(b"cuMemFree_v2") - before, free_bytes() > 0)
done.set()
cuda.cuStreamSynchronize(stream)
allocate(4096)
print(fake.fake_cuda_calls(b"cuMemFree_v2") - before)
)"),
              "0\nover\n");
    server.region().header.keep_alive_wanted = 0;
    EXPECT_EQ(next("over\n"), "True 0 True\n1\nover\n");
}

TEST_F(CudaSpareMemory, ItGoesWithItsContext) {
    EXPECT_EQ(says_of(R"(
print(freed(one))
cuda.cuDevicePrimaryCtxReset_v2(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
print(allocate(MIB) is not None, fake.fake_cuda_live(b"memory"), fake.fake_cuda_errors())
)"),
              "0\nTrue 1 0\nover\n");
}

TEST_F(CudaSpareMemory, SoDoesWhatIsKnownOfTheMemoryInIt) {
    EXPECT_EQ(says_of(R"(
cuda.cuDevicePrimaryCtxReset_v2(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuStreamCreate(ctypes.byref(stream), 1)
fill(allocate(MIB))
cuda.cuStreamSynchronize(stream)
print(freed(one))
)"),
              "error 1\nover\n");
}

}  // namespace
}  // namespace xsched::test
