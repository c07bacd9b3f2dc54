// A program with a keep-alive (queue/alive/keep_alive.h) sees nothing of it: the order checker with something of ours
// behind every wait; and under the real xserver, beside a program that is only kept off for its sake.
#include "system/keep_alive_rig.h"

namespace xsched::test {
namespace {

TEST_F(CudaKeepAlive, NothingChangesPlaces) {
    check(XSCHED_OPERATIONS);
    EXPECT_GT(server.region().header.keep_alive_synchronizes, 0u);
    EXPECT_GT(kept_alive(), 0u) << server.region().header.keep_alive_synchronizes.load();
}

// Work keeps its order while a hold in a stream of ours, launched by another thread, keeps the device, as before
// foreseen bursts. Here holds come at any time.
TEST_F(CudaKeepAlive, NothingChangesPlacesBehindOneThatIsHeld) {
    hold_us = 300;
    check(XSCHED_OPERATIONS);
    EXPECT_GT(kept_alive(), 0u);
}

// Prints how many threads are blocked in the driver. If the agent launched every hold that is asked for while the
// device is slow, its own stream would fill up and the agent would block there.
constexpr const char* kSaysWhetherSomebodyStood = R"(
work()
ready()
print(fake.fake_cuda_blocked_in_driver(), flush=True)
)";

TEST_F(CudaKeepAlive, WhileTheDeviceIsSlowNoMoreIsAskedOfIt) {
    Process program({"/usr/bin/python3", "-c", in_cuda(kSaysWhetherSomebodyStood)},
                    environment({{"FAKE_CUDA_DELAY_US", "50000"}, {"FAKE_CUDA_QUEUE", "4"}}));
    ASSERT_TRUE(server.wait_for_client());
    hold_us = 1;  // holds alone: a keep-alive behind its own wait would find the program's few places taken
    want_keep_alives();
    const auto says = [&](const char* word) {
        return (program.take_output(), program.out().find(word) != std::string::npos);
    };
    ASSERT_TRUE(eventually([&] { return says("ready\n"); })) << program.err();
    for (int i = 0; i < 100; ++i, usleep(2'000)) hold_for_all();
    EXPECT_GT(kept_alive(), 0u);
    kill(program.pid(), SIGUSR1);
    EXPECT_TRUE(eventually([&] { return says("ready\n0\n"); })) << program.out() << program.err();
}

// A program that prints during which of its calls the shim registers the words of its first stream (host memory for
// gates and keep-alives) with the driver.
constexpr const char* kSaysWhenWordsAreRegistered = R"(
cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4096))
before = fake.fake_cuda_calls(b"cuMemHostRegister_v2")
ready()
cuda.cuMemsetD8Async(memory, 0, ctypes.c_size_t(4096), stream)
cuda.cuStreamSynchronize(stream)
print(before, fake.fake_cuda_calls(b"cuMemHostRegister_v2") - before, flush=True)
)";

// A program with a priority registers the words of its stream before its first work. Within the first burst that took
// 0.2 to 1.4 ms (docs/decisions/024).
TEST_F(CudaKeepAlive, AProgramOfPriorityRegistersWordsBeforeItsFirstWork) {
    Process program({"/usr/bin/python3", "-c", in_cuda(kSaysWhenWordsAreRegistered)},
                    environment({{"XSCHED_AUTO_XQUEUE_PRIORITY", "10"}}));
    ASSERT_TRUE(server.wait_for_client());
    ASSERT_TRUE(comes_to_say(program, program.out(), "ready\n")) << program.err();
    server.region().header.watching = 1;
    kill(program.pid(), SIGUSR1);
    EXPECT_TRUE(comes_to_say(program, program.out(), "ready\n1 0\n")) << program.out() << program.err();
}

// The program's wait for all work of the context does not wait for the kernels that hold the device before a burst.
constexpr const char* kWaitsForTheContext = R"(
work()
ready()
cuda.cuCtxSynchronize()
print("waited", flush=True)
signal.sigwait({signal.SIGUSR1})
cuda.cuMemFree_v2(memory)
print("freed", flush=True)
)";

TEST_F(CudaKeepAlive, WhoWaitsForTheContextDoesNotWaitForOneThatIsHeld) {
    hold_us = 3'600'000'000;
    Process program({"/usr/bin/python3", "-c", in_cuda(kWaitsForTheContext)}, environment({{"XLOG_LEVEL", "DEBG"}}));
    ASSERT_TRUE(server.wait_for_client());
    want_keep_alives();
    ASSERT_TRUE(comes_to_say(program, program.out(), "ready\n")) << program.err();
    ASSERT_TRUE(eventually([&] { return server.region().header.keeps_alive != 0; })) << program.err();
    for (const char* word : {"waited\n", "freed\n"}) {
        const size_t said = program.err().size();
        hold_for_all();
        ASSERT_TRUE(comes_to_say(program, program.err(), "keeps the device for a burst", said)) << program.err();
        kill(program.pid(), SIGUSR1);
        EXPECT_TRUE(comes_to_say(program, program.out(), word)) << program.out();
    }
}

// Launches whose thread blocks must all start together: a hold ends before these, since its kernel has the place of a
// block.
class CudaKeepAliveLaunch : public CudaKeepAlive {
protected:
    // Returns whether this launch ends the keep-alive that holds the device at once. `before`: calls that the program
    // makes first.
    bool ends_it(const std::string& launch, const std::string& before = "") {
        hold_us = 3'600'000'000;
        const std::string program_text = R"(
module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
cuda.cuModuleLoadData(ctypes.byref(module), b".visible .entry xsched_nothing() { ret; }")
cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"xsched_nothing")
work()
)" + before + R"(
ready()
print("launched", )" + launch + R"((kernel, 1, 1, 1, 1, 1, 1, 0, stream, None), flush=True)
signal.sigwait({signal.SIGUSR1})
)";
        Process program({"/usr/bin/python3", "-c", in_cuda(program_text)}, environment({{"XLOG_LEVEL", "DEBG"}}));
        EXPECT_TRUE(server.wait_for_client());
        want_keep_alives();
        EXPECT_TRUE(comes_to_say(program, program.out(), "ready\n")) << program.err();
        EXPECT_TRUE(eventually([&] { return server.region().header.keeps_alive != 0; })) << program.err();
        hold_for_all();
        EXPECT_TRUE(comes_to_say(program, program.err(), "keeps the device for a burst")) << program.err();
        kill(program.pid(), SIGUSR1);
        EXPECT_TRUE(comes_to_say(program, program.out(), "launched 0\n")) << program.out() << program.err();
        uint32_t ended = 0;  // numbers are even, and what ends one is the next
        for (const ipc::QueueSlot& slot : server.region().slots) ended += slot.keep_alive.load() % 2;
        return ended != 0;
    }
};

TEST_F(CudaKeepAliveLaunch, ACooperativeOneEndsWhatIsHeld) { EXPECT_TRUE(ends_it("cuda.cuLaunchCooperativeKernel")); }

// cuLaunchKernelEx with one attribute.
constexpr const char* kLaunchesByAttribute = R"(
class Config(ctypes.Structure):
    _fields_ = [("sizes", ctypes.c_uint * 7), ("stream", ctypes.c_void_p), ("attributes", ctypes.c_void_p),
                ("count", ctypes.c_uint)]
class Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_int * 16)]
def with_attribute(number, kernel):
    attribute = Attribute(number, 0, (ctypes.c_int * 16)(1))
    config = Config((ctypes.c_uint * 7)(1, 1, 1, 1, 1, 1, 0), stream, ctypes.addressof(attribute), 1)
    return cuda.cuLaunchKernelEx(ctypes.byref(config), kernel, None, None)
def cooperative(kernel, *rest):
    return with_attribute(2, kernel)
def of_priority(kernel, *rest):
    return with_attribute(8, kernel)
)";

TEST_F(CudaKeepAliveLaunch, OneThatIsCooperativeByAttributeEndsIt) {
    EXPECT_TRUE(ends_it("cooperative", kLaunchesByAttribute));
}
TEST_F(CudaKeepAliveLaunch, OneWithAnotherAttributeDoesNot) {
    EXPECT_FALSE(ends_it("of_priority", kLaunchesByAttribute));
}

constexpr const char* kMakesAGraph = R"(
graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
cuda.cuStreamBeginCapture_v2(stream, 2)
launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, None)
cuda.cuStreamEndCapture(stream, ctypes.byref(graph))
cuda.cuGraphInstantiateWithFlags(ctypes.byref(executable), graph, ctypes.c_ulonglong(0))
def launch_graph(*rest):
    return cuda.cuGraphLaunch(executable, stream)
)";

TEST_F(CudaKeepAliveLaunch, AGraphWithACooperativeKernelEndsIt) {
    const std::string launch = "launch = cooperative";
    EXPECT_TRUE(ends_it("launch_graph", kLaunchesByAttribute + launch + kMakesAGraph));
}
TEST_F(CudaKeepAliveLaunch, AnotherGraphDoesNot) {
    const std::string launch = "launch = cuda.cuLaunchKernel";
    EXPECT_FALSE(ends_it("launch_graph", launch + kMakesAGraph));
}

// A stream that waits for an event that a launch's attributes name waits for that launch's stream.
TEST_F(CudaKeepAliveLaunch, AStreamThatWaitsForAnEventOfItsAttributesLendsItsPriority) {
    const std::string records = R"(
urgent, event = ctypes.c_void_p(), ctypes.c_void_p()
cuda.cuStreamCreateWithPriority(ctypes.byref(urgent), 1, -1)
cuda.cuMemsetD8Async(memory, 0, ctypes.c_size_t(4096), urgent)
cuda.cuStreamSynchronize(urgent)
cuda.cuEventCreate(ctypes.byref(event), 2)
def wait_for_it(kernel, *rest):
    attribute = Attribute(12, 0)
    ctypes.memmove(attribute.value, ctypes.byref(event), 8)
    config = Config((ctypes.c_uint * 7)(1, 1, 1, 1, 1, 1, 0), stream, ctypes.addressof(attribute), 1)
    cuda.cuStreamWaitValue32_v2(stream, memory, 1, 0)  # what is complete before the other stream waits inherits nothing
    launched = cuda.cuLaunchKernelEx(ctypes.byref(config), kernel, None, None)
    return launched or cuda.cuStreamWaitEvent(urgent, event, 0)
)";
    ends_it("wait_for_it", kLaunchesByAttribute + records);
    bool inherits = false;
    for (const ipc::QueueSlot& slot : server.region().slots)
        for (const auto& until : slot.inherited_until) inherits = inherits || until.load() != 0;
    EXPECT_TRUE(inherits);
}

TEST_F(CudaKeepAliveLaunch, AnotherOneDoesNot) { EXPECT_FALSE(ends_it("cuda.cuLaunchKernel")); }

// PyTorch's tensor.cpu(), behind a wait.
constexpr const char* kReadsBack = R"(
host = ctypes.create_string_buffer(4096)
cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4096))
def round():
    cuda.cuMemsetD8Async(memory, 7, ctypes.c_size_t(4096), stream)
    cuda.cuStreamSynchronize(stream)
    begin = time.monotonic()
    cuda.cuMemcpyDtoHAsync_v2(host, memory, ctypes.c_size_t(4096), stream)
    return time.monotonic() - begin
round()
ready()
print(max(round() for _ in range(20)) < 30 and host.raw == b"\x07" * 4096, flush=True)
signal.sigwait({signal.SIGUSR1})
)";

TEST_F(CudaKeepAlive, ACopyThatWaitsForItsStreamDoesNotWaitForOne) {
    Process program({"/usr/bin/python3", "-c", in_cuda(kReadsBack)}, environment({{"FAKE_CUDA_DELAY_US", "3000"}}));
    ASSERT_TRUE(server.wait_for_client());
    want_keep_alives();
    server.region().header.keep_alive_until_ns = 0;
    server.region().header.keep_alive_always_us = 60'000'000;
    const auto says = [&](const char* word) {
        return eventually([&] { return (program.take_output(), program.out().ends_with(word)); });
    };
    ASSERT_TRUE(says("ready\n")) << program.err();
    ASSERT_TRUE(eventually([&] { return server.region().header.keeps_alive != 0; })) << program.err();
    kill(program.pid(), SIGUSR1);
    EXPECT_TRUE(says("True\n")) << program.out() << program.err();
    EXPECT_GT(kept_alive(), 0u);
}

// A program that waits for the work of one of several streams.
constexpr const char* kWaitsForSeveralStreams = R"(
cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(8192))
def fill(offset, where):
    cuda.cuMemsetD8Async(ctypes.c_uint64(memory.value + offset), 1, ctypes.c_size_t(4096), where)
def say(*words):
    print(*words, flush=True)
    signal.sigwait({signal.SIGUSR1})
def calls():
    return fake.fake_cuda_calls(b"cuCtxSynchronize") + fake.fake_cuda_calls(b"cuStreamSynchronize")
def kept(function, *streams):
    """Whether it ever did without the driver's call: unless the work was complete at once."""
    for _ in range(50):
        time.sleep(0.02)  # what is ours in the streams is over, as a rule
        before = calls()
        for where in streams:
            fill(0 if where is None else 4096, where)
        function()
        assert cuda.cuStreamQuery(None) == 0 and cuda.cuStreamQuery(stream) == 0
        if calls() == before:
            return True
    return False
for flags in 1, 0:
    cuda.cuStreamCreate(ctypes.byref(stream), flags)
    fill(0, None)
    fill(4096, stream)
    cuda.cuStreamSynchronize(None)
    cuda.cuStreamSynchronize(stream)
    say("ready")
    say(kept(cuda.cuCtxSynchronize, None))
    say(kept(cuda.cuCtxSynchronize, stream))
    say(kept(lambda: cuda.cuStreamSynchronize(None), None))
)";

// If a program has several streams, the one that has work gets the keep-alive. The program prints True if the shim
// answered a wait without calling the driver, which it can only do with a keep-alive behind the awaited work.
TEST_F(CudaKeepAlive, OfSeveralStreamsTheOneThatWorksHasOne) {
    Process program({"/usr/bin/python3", "-c", in_cuda(kWaitsForSeveralStreams)},
                    environment({{"FAKE_CUDA_DELAY_US", "3000"}}));
    ASSERT_TRUE(server.wait_for_client());
    want_keep_alives();
    const auto next = [&] {
        const size_t before = program.out().size();
        if (before != 0) kill(program.pid(), SIGUSR1);
        EXPECT_TRUE(eventually([&] {
            return (program.take_output(), program.out().find('\n', before) != std::string::npos);
        })) << program.out()
            << program.err();
        return program.out().substr(before);
    };
    ASSERT_EQ(next(), "ready\n");
    ASSERT_TRUE(eventually([&] { return server.region().header.keeps_alive != 0; })) << program.err();
    EXPECT_EQ(next(), "True\n") << "the default stream, beside one that does not wait for it";
    EXPECT_EQ(next(), "True\n") << "that one";
    EXPECT_EQ(next(), "True\n");
    ASSERT_EQ(next(), "ready\n");
    EXPECT_EQ(next(), "False\n") << "another stream would wait for what stands in the default one";
    EXPECT_EQ(next(), "True\n");
    EXPECT_EQ(next(), "False\n");
}

// A program that frees memory. The driver then waits for all of the context's work, and must not have to wait for a
// keep-alive.
constexpr const char* kFreesAfterAWait = R"(
while True:
    cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4096))
    cuda.cuMemsetD8Async(memory, 0, ctypes.c_size_t(4096), stream)
    print("launched", flush=True)
    signal.sigwait({signal.SIGUSR1})
    cuda.cuStreamSynchronize(stream)
    cuda.cuMemFree_v2(memory)
    print("freed", flush=True)
    signal.sigwait({signal.SIGUSR1})
)";

class CudaKeepAliveFree : public CudaKeepAlive {
protected:
    // Runs a program that waits for its work, frees memory and then launches. Returns how many keep-alives (kernels
    // that keep the device through its pauses) its call that frees has ended, and how many its launch.
    std::pair<uint32_t, uint32_t> ended_by(const char* option) {
        Process program({"/usr/bin/python3", "-c", in_cuda(kFreesAfterAWait)},
                        environment({{"XSCHED_DEBUG", std::string("spare_memory=0,free_ends_keep_alive=") + option},
                                     {"FAKE_CUDA_DELAY_US", "20000"}}));
        EXPECT_TRUE(server.wait_for_client());
        want_keep_alives();
        const auto next = [&](const char* word) {
            kill(program.pid(), SIGUSR1);
            EXPECT_TRUE(eventually([&] { return (program.take_output(), program.out().ends_with(word)); }))
                << program.err();
            return kept_alive();
        };
        EXPECT_TRUE(eventually([&] { return (program.take_output(), program.out().ends_with("launched\n")); }))
            << program.err();
        EXPECT_TRUE(eventually([&] {
            next("freed\n");
            return next("launched\n") > 0;
        }));
        const uint32_t before = kept_alive();
        const uint32_t freed = next("freed\n");
        return {freed - before, next("launched\n") - freed};
    }
};

TEST_F(CudaKeepAliveFree, FreeingEndsIt) { EXPECT_EQ(ended_by("1"), std::pair(1u, 0u)); }
TEST_F(CudaKeepAliveFree, OrTheNextLaunchDoes) { EXPECT_EQ(ended_by("0"), std::pair(0u, 1u)); }

// After a synchronize the program may touch its managed memory, which it may not while a kernel of ours runs.
TEST_F(CudaKeepAlive, NotWhereManagedMemoryIsTheHostsOrTheDevices) {
    check("3000", {{"FAKE_CUDA_NO_CONCURRENT_MANAGED", "1"}});
    EXPECT_EQ(server.region().header.keeps_alive, 0u);
    EXPECT_EQ(kept_alive(), 0u);
}

class CudaKeepAliveBeside : public CudaOnRm {};

TEST_F(CudaKeepAliveBeside, TheOtherIsOnlyKeptOffAndBothCompute) {
    low = start_on_rm("low", 0, "10000");
    high = start_on_rm("high", 10, "20");
    high->pause(8, 7000);
    low->work();
    ASSERT_TRUE(eventually([&] { return low->done() > 0; })) << low->process().err();
    const std::unique_ptr<RmFile> low_rm = rm_of(low->pid());
    ASSERT_TRUE(low_rm->there());
    high->work();
    EXPECT_TRUE(eventually([&] { return low_rm->state().kept_off >= 8; })) << low_rm->state().disables.load();
    const uint32_t timeslices = low_rm->state().timeslices;
    EXPECT_TRUE(eventually([&] { return low_rm->state().timeslices >= timeslices + 8; }))
        << "a moment after it is put back the device is made to look at it again";
    high->rest();
    const uint64_t before = low->done();
    EXPECT_TRUE(eventually([&] { return low->done() > before; })) << "it does not go on";
    EXPECT_EQ(high->end(), 0) << high->process().err();
    EXPECT_EQ(low->end(), 0) << low->process().err();
    EXPECT_EQ(low_rm->disabled(), 0u);
}

// On a new machine the kernels of the keep-alive must be compiled first; a program of priority does that before it
// launches.
TEST_F(CudaKeepAliveBeside, AProgramOfPriorityPreparesItBeforeItsFirstWork) {
    for (const int priority : {0, 10}) {
        auto program = start_on_rm("one", priority, "100", {{"XLOG_LEVEL", "DEBG"}});
        program->work();
        EXPECT_TRUE(eventually([&] { return program->done() > 0; }));
        EXPECT_EQ(program->end(), 0);
        const std::string said = program->process().err();
        const size_t prepared = said.find("was prepared before the first work");
        EXPECT_EQ(prepared != std::string::npos, priority != 0) << said.substr(0, 3000);
        if (priority != 0) {
            EXPECT_LT(prepared, said.find("(command 1 created)"));
        }
    }
}

}  // namespace
}  // namespace xsched::test
