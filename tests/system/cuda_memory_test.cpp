// Memory that makes room (docs/memory.md): programs that share a card of 192 MiB. Memory that is not on the card ends a
// program that touches it, and new memory has contents of its own (fake/cuda/pieces.cpp).
#include <fstream>

#include "system/cuda_rig.h"
#include "system/keep_alive_rig.h"

namespace xsched::test {
namespace {

// Holds MIB mebibytes in blocks of 16. Each round writes to all of them and compares all that it has ever written.
constexpr const char* kHolder = R"(
MIB, BLOCK = 1 << 20, 16 << 20

def check(code, what):
    if code:
        print("error", code, what, flush=True)
        os._exit(1)

def allocate(size):
    memory = ctypes.c_uint64()
    check(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(size)), "cuMemAlloc")
    return memory.value

def put(address, value):
    check(cuda.cuMemsetD32Async(ctypes.c_uint64(address), ctypes.c_uint(value), ctypes.c_size_t(64), stream), "set")

word = ctypes.c_uint()
def compare(address, value):
    check(cuda.cuMemcpyDtoH_v2(ctypes.byref(word), ctypes.c_uint64(address), ctypes.c_size_t(4)), "copy")
    if word.value != value:
        print("wrong: %d instead of %d" % (word.value, value), flush=True)
        os._exit(3)

blocks = [allocate(BLOCK) for _ in range(int(os.environ["MIB"]) // 16)]
for number, block in enumerate(blocks):
    put(block + BLOCK - 256, 7000 + number)
check(cuda.cuStreamSynchronize(stream), "synchronize")
print("holds", flush=True)
rounds, end = 0, time.time() + 60
while not os.path.exists(os.environ["STOP"]) and time.time() < end:
    if os.path.exists(os.environ.get("TWICE", "/none")):  # it allocates as much again
        os.remove(os.environ["TWICE"])
        for number in range(len(blocks), 2 * len(blocks)):
            blocks.append(allocate(BLOCK))
            put(blocks[-1] + BLOCK - 256, 7000 + number)
        print("more", flush=True)
    for number, block in enumerate(blocks):
        put(block, 100 * rounds + number)
    check(cuda.cuStreamSynchronize(stream), "synchronize")
    for number, block in enumerate(blocks):
        compare(block, 100 * rounds + number)
        compare(block + BLOCK - 256, 7000 + number)
    rounds += 1
    if rounds % 20 == 0:
        print("round", flush=True)
begin, size = ctypes.c_uint64(), ctypes.c_size_t()
cuda.cuMemGetAddressRange_v2(ctypes.byref(begin), ctypes.byref(size), ctypes.c_uint64(blocks[0] + 5))
for block in blocks:
    check(cuda.cuMemFree_v2(ctypes.c_uint64(block)), "free")
print("over", begin.value == blocks[0], size.value == BLOCK, fake.fake_cuda_errors(), flush=True)
)";

// Fills a block, does without it until AWAY is gone, and says what is in it then.
constexpr const char* kYielder = R"(
def check(code, what):
    if code:
        print("error", code, what, flush=True)
        os._exit(1)
ours, block, word = ctypes.CDLL("libpreempt.so.1"), ctypes.c_uint64(), ctypes.c_uint()
check(cuda.cuMemAlloc_v2(ctypes.byref(block), ctypes.c_size_t(96 << 20)), "cuMemAlloc")
check(cuda.cuMemsetD32Async(block, ctypes.c_uint(77), ctypes.c_size_t(64), stream), "set")
check(cuda.cuStreamSynchronize(stream), "synchronize")
check(ours.XHintYieldMemory(), "yield")
print("away", flush=True)
while os.path.exists(os.environ["AWAY"]):
    time.sleep(0.01)
check(ours.XHintAcquireMemory(), "acquire")
check(cuda.cuMemcpyDtoH_v2(ctypes.byref(word), block, ctypes.c_size_t(4)), "copy")
print("back", word.value, flush=True)
)";

// Allocates blocks of 16 MiB until MIB are there, and says with which code each ends, and how much is free by then.
constexpr const char* kFiller = R"(
blocks, free, total = [], ctypes.c_size_t(), ctypes.c_size_t()
for _ in range(int(os.environ["MIB"]) // 16):
    blocks.append(ctypes.c_uint64())
    code = cuda.cuMemAlloc_v2(ctypes.byref(blocks[-1]), ctypes.c_size_t(16 << 20))
    cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
    print("code", code, free.value >> 20, total.value >> 20, flush=True)
cuda.cuMemFree_v2(blocks[0])
again = ctypes.c_uint64()
print("again", cuda.cuMemAlloc_v2(ctypes.byref(again), ctypes.c_size_t(16 << 20)), flush=True)
pitch, rows = ctypes.c_size_t(), ctypes.c_uint64()
print("rows", cuda.cuMemAllocPitch_v2(ctypes.byref(rows), ctypes.byref(pitch), ctypes.c_size_t(1 << 20),
                                      ctypes.c_size_t(16), ctypes.c_uint(4)), flush=True)
)";

// Allocates MIB mebibytes at once, says what came of that, and frees them when it is told.
constexpr const char* kTaker = R"(
taken = ctypes.c_uint64()
print("code", cuda.cuMemAlloc_v2(ctypes.byref(taken), ctypes.c_size_t(int(os.environ["MIB"]) << 20)), flush=True)
end = time.time() + 60
while not os.path.exists(os.environ["STOP"]) and time.time() < end:
    time.sleep(0.01)
cuda.cuMemFree_v2(taken)
print("freed", flush=True)
time.sleep(float(os.environ.get("STAYS", "0")))
)";

class CudaMemory : public WithServer {
protected:
    Environment environment(const char* mebibytes, int priority, bool evictable, const std::string& stop) const {
        Environment environment = directory.environment();
        environment["LD_PRELOAD"] = getenv("TEST_SHIM");
        environment["XSCHED_CUDA_LIB"] = getenv("TEST_DRIVER");
        environment["XSCHED_SCHEDULER"] = "global";
        environment["XSCHED_AUTO_XQUEUE_PRIORITY"] = std::to_string(priority);
        environment["XSCHED_EVICTABLE"] = evictable ? "1" : "0";
        environment["FAKE_CUDA_SHARED"] = directory.path() + "/card";
        environment["FAKE_CUDA_MEMORY"] = std::to_string(192 << 20);
        environment["ASAN_OPTIONS"] = "detect_leaks=0";  // Python's own
        environment["MIB"] = mebibytes;
        environment["STOP"] = directory.path() + "/" + stop;
        return environment;
    }
    std::unique_ptr<Process> start(const char* text, const char* mebibytes, int priority, bool evictable,
                                   const std::string& stop) const {
        return std::make_unique<Process>(std::vector<std::string>{"/usr/bin/python3", "-c", in_cuda(text)},
                                         environment(mebibytes, priority, evictable, stop));
    }
    static bool says(Process& program, const std::string& word, size_t from = 0) {
        return comes_to_say(program, program.out(), word, from);
    }
    // Returns whether the program does another twenty rounds.
    static bool goes_on(Process& program) {
        return says(program, "round", (program.take_output(), program.out().size()));
    }
    Json order(const char* word, const Process& program, const Json& more) const {
        Json request{{"cmd", word}, {"pid", program.pid()}};
        if (more.is_object()) request.update(more);
        return answer_of_server(socket(), request);
    }
    // Returns the server's facts about it.
    Json program(const Process& program) const {
        return answer_of_server(socket(), {{"cmd", "programs"}, {"pid", program.pid()}})["programs"][0];
    }
    void tell(const std::string& stop) const { std::ofstream(directory.path() + "/" + stop) << "stop"; }
    void ends_well(Process& holder) {
        tell("holder");
        EXPECT_EQ(holder.wait(), 0) << holder.out() << holder.err();
        EXPECT_NE(holder.out().find("over True True 0"), std::string::npos) << holder.out() << holder.err();
    }
};

TEST_F(CudaMemory, AProgramMakesRoomAndHasAllOfItBack) {
    const auto holder = start(kHolder, "96", 0, true, "holder");
    ASSERT_TRUE(says(*holder, "holds")) << holder->err();
    for (const char* stop : {"first", "second"}) {
        const auto taker = start(kTaker, "160", 10, false, stop);
        EXPECT_TRUE(says(*taker, "code 0")) << taker->out() << taker->err() << server->process().err();
        tell(stop);
        EXPECT_EQ(taker->wait(), 0);
        EXPECT_TRUE(goes_on(*holder)) << holder->out() << holder->err();
    }
    EXPECT_NE((holder->take_output(), holder->err()).find("went to the host"), std::string::npos);
    ends_well(*holder);
}

TEST_F(CudaMemory, WithoutPermissionItIsAsNatively) {
    const auto holder = start(kHolder, "96", 0, false, "holder");
    ASSERT_TRUE(says(*holder, "holds")) << holder->err();
    const auto taker = start(kTaker, "160", 10, false, "taker");
    EXPECT_TRUE(says(*taker, "code 2")) << taker->out() << taker->err();
    tell("taker");
    ends_well(*holder);
}

TEST_F(CudaMemory, AMoreUrgentProgramGivesNothing) {
    const auto holder = start(kHolder, "96", 10, true, "holder");
    ASSERT_TRUE(says(*holder, "holds")) << holder->err();
    const auto taker = start(kTaker, "160", 0, false, "taker");
    EXPECT_TRUE(says(*taker, "code 2")) << taker->out() << taker->err();
    tell("taker");
    ends_well(*holder);
}

TEST_F(CudaMemory, WhatTheUrgentProgramHadIsThereWhenItIsKilled) {
    const auto holder = start(kHolder, "96", 0, true, "holder");
    ASSERT_TRUE(says(*holder, "holds")) << holder->err();
    const auto taker = start(kTaker, "160", 10, false, "taker");
    ASSERT_TRUE(says(*taker, "code 0")) << taker->out() << taker->err();
    kill(taker->pid(), SIGKILL);
    taker->wait();
    EXPECT_TRUE(goes_on(*holder)) << holder->out() << holder->err();
    ends_well(*holder);
}

TEST_F(CudaMemory, AProgramThatIsKilledWhileItsMemoryIsAwayLeavesNothing) {
    const auto holder = start(kHolder, "96", 0, true, "holder");
    ASSERT_TRUE(says(*holder, "holds")) << holder->err();
    const auto taker = start(kTaker, "160", 10, false, "taker");
    ASSERT_TRUE(says(*taker, "code 0")) << taker->out() << taker->err();
    kill(holder->pid(), SIGKILL);
    holder->wait();
    tell("taker");
    EXPECT_EQ(taker->wait(), 0);
    const auto next = start(kTaker, "190", 0, false, "next");
    EXPECT_TRUE(says(*next, "code 0")) << "all of the card is free";
    tell("next");
}

// Without a scheduler no program asks for room: the program takes its memory back as soon as there is any.
TEST_F(CudaMemory, ItComesBackWithoutAServer) {
    const auto holder = start(kHolder, "96", 0, true, "holder");
    ASSERT_TRUE(says(*holder, "holds")) << holder->err();
    const auto taker = start(kTaker, "160", 10, false, "taker");
    ASSERT_TRUE(says(*taker, "code 0")) << taker->out() << taker->err();
    server->stop(SIGKILL);
    tell("taker");
    EXPECT_EQ(taker->wait(), 0);
    EXPECT_TRUE(goes_on(*holder)) << holder->out() << holder->err();
    ends_well(*holder);
}

TEST_F(CudaMemory, NothingBeyondTheLimit) {
    for (const bool evictable : {false, true}) {
        Environment own = environment("64", 0, evictable, "filler");
        own["XSCHED_MEMORY_LIMIT"] = std::to_string(40 << 20);
        Process filler({"/usr/bin/python3", "-c", in_cuda(kFiller)}, own);
        EXPECT_EQ(filler.wait(), 0);
        filler.take_output();
        EXPECT_NE(filler.out().find("code 0 24 40\ncode 0 8 40\ncode 2 8 40\ncode 2 8 40\nagain 0\nrows 2\n"),
                  std::string::npos)
            << filler.out() << filler.err();
        EXPECT_NE(filler.err().find("0.02 GiB failed: this program may have 0.04 GiB on the device (its memory limit)"),
                  std::string::npos)
            << filler.err();
    }
}

// All but 32 of its 96 MiB may be taken, in blocks of 16. Requests are for 32 MiB more than is missing.
TEST_F(CudaMemory, WhatIsGuaranteedStays) {
    Environment own = environment("96", 0, true, "holder");
    own["XSCHED_MEMORY_GUARANTEE"] = std::to_string(32 << 20);
    Process holder({"/usr/bin/python3", "-c", in_cuda(kHolder)}, own);
    ASSERT_TRUE(says(holder, "holds")) << holder.err();
    const auto greedy = start(kTaker, "176", 10, false, "taker");
    EXPECT_TRUE(says(*greedy, "code 2")) << greedy->out() << greedy->err();
    const auto modest = start(kTaker, "112", 10, false, "taker");
    EXPECT_TRUE(says(*modest, "code 0")) << modest->out() << modest->err() << server->process().err();
    tell("taker");
    EXPECT_TRUE(goes_on(holder)) << holder.out() << holder.err();
    ends_well(holder);
}

TEST_F(CudaMemory, APersonSendsItAwayAndBack) {
    const auto holder = start(kHolder, "96", 10, true, "holder");
    ASSERT_TRUE(says(*holder, "holds")) << holder->err();
    ASSERT_TRUE(order("suspend", *holder, {{"memory", true}})["ok"]);
    const auto taker = start(kTaker, "144", 0, false, "taker");
    EXPECT_TRUE(says(*taker, "code 0")) << taker->out() << taker->err() << server->process().err();
    EXPECT_TRUE(eventually([&] { return program(*holder)["memory_movable"] == 0; }));
    const Json away = program(*holder);
    EXPECT_TRUE(away["memory_sent_away"]);
    EXPECT_EQ(away["memory_on_host"], 96 << 20);
    EXPECT_EQ(away["memory_on_card"], 0);
    EXPECT_EQ(away["memory_swaps"], 1);
    tell("taker");
    EXPECT_EQ(taker->wait(), 0);
    ASSERT_TRUE(order("resume", *holder, {})["ok"]);
    EXPECT_TRUE(goes_on(*holder)) << holder->out() << holder->err();
    const Json back = program(*holder);
    EXPECT_EQ(back["memory_on_card"], 96 << 20);
    EXPECT_EQ(back["memory_movable"], 96 << 20);
    EXPECT_GT(back["memory_waited_ms"], 0.0);
    ends_well(*holder);
}

// The memory that it has by then stays; the memory that it allocates from then on is moved.
TEST_F(CudaMemory, AHintIsForWhatIsAllocatedFromThenOn) {
    Environment own = environment("64", 0, false, "holder");
    own["TWICE"] = directory.path() + "/more";
    Process holder({"/usr/bin/python3", "-c", in_cuda(kHolder)}, own);
    ASSERT_TRUE(says(holder, "holds")) << holder.err();
    EXPECT_TRUE(order("hint", holder, {{"evictable", 1}})["ok"]);
    tell("more");
    ASSERT_TRUE(says(holder, "more")) << holder.out() << holder.err();
    EXPECT_TRUE(goes_on(holder)) << holder.out() << holder.err();
    EXPECT_EQ(program(holder)["memory_on_card"], 128 << 20);
    EXPECT_EQ(program(holder)["memory_movable"], 64 << 20);
    EXPECT_NE(holder.err().find("but not the 0.06 GiB that it has already"), std::string::npos) << holder.err();
    const auto taker = start(kTaker, "80", 10, false, "taker");
    EXPECT_TRUE(says(*taker, "code 0")) << taker->out() << taker->err();
    tell("taker");
    EXPECT_EQ(taker->wait(), 0);
    EXPECT_TRUE(goes_on(holder)) << holder.out() << holder.err();
    EXPECT_TRUE(order("hint", holder, {{"evictable", 0}})["ok"]);
    const auto late = start(kTaker, "80", 10, false, "late");
    EXPECT_TRUE(says(*late, "code 2")) << late->out() << late->err();
    tell("late");
    ends_well(holder);
}

TEST_F(CudaMemory, AProgramDoesWithoutItsMemoryForAWhile) {
    Environment own = environment("0", 10, true, "none");
    own["AWAY"] = directory.path() + "/away";
    tell("away");
    Process yielder({"/usr/bin/python3", "-c", in_cuda(kYielder)}, own);
    ASSERT_TRUE(says(yielder, "away")) << yielder.out() << yielder.err();
    const auto taker = start(kTaker, "180", 0, false, "taker");
    EXPECT_TRUE(says(*taker, "code 0")) << taker->out() << taker->err();
    tell("taker");
    EXPECT_EQ(taker->wait(), 0);
    std::remove(own["AWAY"].c_str());
    EXPECT_TRUE(says(yielder, "back 77")) << yielder.out() << yielder.err();
    EXPECT_EQ(yielder.wait(), 0);
}

TEST_F(CudaMemory, WhatCannotBeMovedIsNotSentAway) {
    const auto holder = start(kHolder, "96", 0, false, "holder");
    ASSERT_TRUE(says(*holder, "holds")) << holder->err();
    const Json refused = order("suspend", *holder, {{"memory", true}});
    EXPECT_FALSE(refused["ok"]);
    EXPECT_NE(refused.dump().find("has no memory that can be moved"), std::string::npos) << refused;
    EXPECT_EQ(program(*holder)["memory_on_card"], 96 << 20);
    EXPECT_TRUE(goes_on(*holder)) << "and it is not suspended";
    ends_well(*holder);
}

// The card has room for one of them and a half.
TEST_F(CudaMemory, EqualsTakeTurns) {
    const auto one = start(kHolder, "128", 0, true, "holder");
    ASSERT_TRUE(says(*one, "holds")) << one->err();
    const auto other = start(kHolder, "128", 0, true, "holder");
    ASSERT_TRUE(says(*other, "holds")) << other->out() << other->err();
    for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(goes_on(*one)) << i << one->out() << one->err();
        EXPECT_TRUE(goes_on(*other)) << i << other->out() << other->err();
    }
    ends_well(*one);
    ends_well(*other);
}

}  // namespace
}  // namespace xsched::test
