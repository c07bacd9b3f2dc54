// Programs that share a card (docs/memory.md).
#pragma once

#include <fstream>

#include "system/cuda_rig.h"
#include "system/keep_alive_rig.h"

namespace xsched::test {

// Holds MIB mebibytes in blocks of 16. Each round writes to all of them and compares all that it has ever written.
inline constexpr const char* kHolder = R"(
MIB, BLOCK = 1 << 20, 16 << 20

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
    if rounds % 5 == 0:
        print("round", flush=True)
begin, size = ctypes.c_uint64(), ctypes.c_size_t()
cuda.cuMemGetAddressRange_v2(ctypes.byref(begin), ctypes.byref(size), ctypes.c_uint64(blocks[0] + 5))
for block in blocks:
    check(cuda.cuMemFree_v2(ctypes.c_uint64(block)), "free")
print("over", begin.value == blocks[0], size.value == BLOCK, fake.fake_cuda_errors(), flush=True)
)";

// A program that fills a block of memory, lets it be moved away until the file AWAY is gone, and then prints what the
// block holds.
inline constexpr const char* kYielder = R"(
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
inline constexpr const char* kFiller = R"(
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

// A program that allocates and frees 16 MiB by each way that the driver has, until one is refused, and prints the
// results.
inline constexpr const char* kEachWay = R"(
SIZE = 16 << 20
class Array(ctypes.Structure):
    _fields_ = [("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("format", ctypes.c_int),
                ("channels", ctypes.c_uint)]
class Wanted(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("handles", ctypes.c_int), ("location", ctypes.c_int), ("id", ctypes.c_int),
                ("more", ctypes.c_uint64 * 2)]
def plain(made):
    return cuda.cuMemAlloc_v2(ctypes.byref(made), ctypes.c_size_t(SIZE))
def in_order(made):
    return cuda.cuMemAllocAsync(ctypes.byref(made), ctypes.c_size_t(SIZE), stream)
def array(made):
    return cuda.cuArrayCreate_v2(ctypes.byref(made), ctypes.byref(Array(1 << 10, 1 << 10, 0x20, 4)))
def physical(made):
    return cuda.cuMemCreate(ctypes.byref(made), ctypes.c_size_t(SIZE), ctypes.byref(Wanted(1, 0, 1, 0)),
                            ctypes.c_ulonglong(0))
WAYS = [(plain, lambda made: cuda.cuMemFree_v2(made)), (in_order, lambda made: cuda.cuMemFreeAsync(made, stream)),
        (array, lambda made: cuda.cuArrayDestroy(made)), (physical, lambda made: cuda.cuMemRelease(made))]
for make, free in WAYS:
    rows = []
    for _ in range(2):
        codes, made = [], []
        while not codes or (codes[-1] == 0 and len(codes) < 9):
            made.append(ctypes.c_uint64())
            codes.append(make(made[-1]))
        rows.append(codes)
        for each in made[:-1]:
            if free(each):
                print("error of", make.__name__, flush=True)
        cuda.cuStreamSynchronize(stream)
    print(make.__name__, rows, flush=True)
total = ctypes.c_size_t()
cuda.cuDeviceTotalMem_v2(ctypes.byref(total), 0)
print("whole", total.value >> 20, flush=True)
)";

// A program that allocates MIB mebibytes at once, prints the result, and frees them when it is told.
inline constexpr const char* kTaker = R"(
taken = ctypes.c_uint64()
print("code", cuda.cuMemAlloc_v2(ctypes.byref(taken), ctypes.c_size_t(int(os.environ["MIB"]) << 20)), flush=True)
end = time.time() + 60
while not os.path.exists(os.environ["STOP"]) and time.time() < end:
    time.sleep(0.01)
cuda.cuMemFree_v2(taken)
print("freed", flush=True)
time.sleep(float(os.environ.get("STAYS", "0")))
)";

// Does BEFORE, says `ready`, does WHILE again and again until the test says STOP, and does AFTER.
inline constexpr const char* kMaps = R"(
def check(code, what):
    if code:
        print("error", code, what, flush=True)
        os._exit(1)
class Wanted(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("type", "handles", "where", "device")] + [
        ("more", ctypes.c_void_p), ("flags", ctypes.c_ubyte * 8)]
class Access(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("where", "device", "flags")]
def n(value):
    return ctypes.c_uint64(value)
def mib(count):
    return ctypes.c_size_t(count << 20)
made = ctypes.c_uint64()
def create(count, handles=0):
    wanted = Wanted(1, handles, 1, 0, None)
    check(cuda.cuMemCreate(ctypes.byref(made), mib(count), ctypes.byref(wanted), n(0)), "create")
    return made.value
def reserve(count):
    check(cuda.cuMemAddressReserve(ctypes.byref(made), mib(count), n(2 << 20), n(0), n(0)), "reserve")
    return made.value
def map_at(address, count, handle, offset=0):
    return cuda.cuMemMap(n(address), mib(count), mib(offset), n(handle), n(0))
def open_at(address, count, flags=3, device=0):
    return cuda.cuMemSetAccess(n(address), mib(count), ctypes.byref(Access(1, device, flags)), ctypes.c_size_t(1))
def unmap(address, count):
    return cuda.cuMemUnmap(n(address), mib(count))
def release(handle):
    return cuda.cuMemRelease(n(handle))
def free(address, count):
    return cuda.cuMemAddressFree(n(address), mib(count))
def mapped(count, handle, offset=0, flags=3):
    address = reserve(count)
    check(map_at(address, count, handle, offset), "map")
    check(open_at(address, count, flags), "open")
    return address
def gone(address, count):
    check(unmap(address, count), "unmap")
    check(free(address, count), "free")
def put(address, count, value):
    check(cuda.cuMemsetD32_v2(n(address), ctypes.c_uint(value), ctypes.c_size_t(count << 18)), "set")
    check(cuda.cuCtxSynchronize(), "synchronize")
word = ctypes.c_uint()
def compare(address, count, value):
    for at in range(0, count << 20, 1 << 19):
        check(cuda.cuMemcpyDtoH_v2(ctypes.byref(word), n(address + at), ctypes.c_size_t(4)), "copy")
        if word.value != value:
            print("wrong: %x instead of %x at %d" % (word.value, value, at), flush=True)
            os._exit(3)
def asked(address):
    flags = ctypes.c_ulonglong()
    check(cuda.cuMemGetAccess(ctypes.byref(flags), ctypes.byref(Access(1, 0)), n(address)), "access")
    return flags.value
def retained(address):
    code = cuda.cuMemRetainAllocationHandle(ctypes.byref(made), ctypes.c_void_p(address))
    return made.value if code == 0 else -code
exec(os.environ["BEFORE"])
print("ready", flush=True)
end = time.time() + 60
while not os.path.exists(os.environ["STOP"]) and time.time() < end:
    exec(os.environ["WHILE"])
    time.sleep(0.01)
exec(os.environ["AFTER"])
print("over", fake.fake_cuda_live(b"piece"), fake.fake_cuda_live(b"reservation"), fake.fake_cuda_errors(), flush=True)
)";

inline bool on_hip() { return getenv("TEST_ON_HIP") != nullptr; }

// Gives a program the driver's stand-in. HIP moves memory only if it is asked to. `debug`: more of XSCHED_DEBUG.
inline void use_driver(Environment& environment, const std::string& debug = "") {
    environment["XSCHED_CUDA_LIB"] = getenv("TEST_DRIVER");
    environment["XSCHED_DEBUG"] = debug;
    if (!on_hip()) return;
    environment["XSCHED_HIP_LIB"] = getenv("TEST_DRIVER");
    environment["XSCHED_DEBUG"] = "hip_memory=1" + (debug.empty() ? "" : "," + debug);
}

// Replaces the names of CUDA's functions in a program's text by HIP's, if the tests run on HIP.
inline std::string as_named(std::string text) {
    for (const char* part : {"cuMem", "cuTex"})
        for (size_t at = 0; on_hip() && (at = text.find(part, at)) != std::string::npos;) text.replace(at, 2, "hip");
    return text;
}

class CudaMemory : public WithServer {
protected:
    int card_mib_ = 192;

    Environment environment(const char* mebibytes, int priority, bool evictable, const std::string& stop) const {
        Environment environment = directory.environment();
        environment["LD_PRELOAD"] = getenv("TEST_SHIM");
        use_driver(environment);
        environment["XSCHED_SCHEDULER"] = "global";
        environment["XSCHED_AUTO_XQUEUE_PRIORITY"] = std::to_string(priority);
        environment["XSCHED_EVICTABLE"] = evictable ? "1" : "0";
        environment["FAKE_CUDA_SHARED"] = directory.path() + "/card";
        environment["FAKE_CUDA_MEMORY"] = std::to_string(card_mib_ << 20);
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
    // Returns whether the program does another five rounds.
    static bool goes_on(Process& program) {
        return says(program, "round", (program.take_output(), program.out().size()));
    }
    // Starts a program that has half of the card, until it is told to end.
    std::unique_ptr<Process> holding(int priority, bool evictable) const {
        auto holder = start(kHolder, "96", priority, evictable, "holder");
        EXPECT_TRUE(says(*holder, "holds")) << holder->err();
        return holder;
    }
    // Starts a program that asks for more than is free beside it, and expects that answer.
    std::unique_ptr<Process> taking(int priority, const char* answer) const {
        auto taker = start(kTaker, "160", priority, false, "taker");
        EXPECT_TRUE(says(*taker, answer)) << taker->out() << taker->err();
        return taker;
    }
    Json order(const char* word, const Process& program, const Json& more) const {
        Json request{{"cmd", word}, {"pid", program.pid()}};
        if (more.is_object()) request.update(more);
        return answer_of_server(socket(), request);
    }
    // Returns the server's facts about it.
    static void kill_now(Process& program) {
        kill(program.pid(), SIGKILL);
        program.wait();
    }
    // Kills the server, and expects that the next one knows that the holder's memory is away and that `why` is true
    // of it.
    void next_server_knows(const Process& holder, const char* why, Process& supervisor) {
        const auto server_pid = [&] { return answer_of_server(socket(), {{"cmd", "server"}}).value("pid", 0); };
        const int before = server_pid();
        ASSERT_EQ(kill(before, SIGKILL), 0);
        ASSERT_TRUE(eventually([&] { return server_pid() > 0 && server_pid() != before; }));
        const auto is_away = [&] {
            const Json known = program(holder);
            return known.is_object() && known[why] == true && known["memory_on_host"] == 96 << 20;
        };
        EXPECT_TRUE(eventually(is_away)) << program(holder).dump() << supervisor.err();
    }
    Json program(const Process& program) const {
        return answer_of_server(socket(), {{"cmd", "programs"}, {"pid", program.pid()}})["programs"][0];
    }
    void tell(const std::string& stop) const { std::ofstream(directory.path() + "/" + stop) << "stop"; }
    // Ends both programs. The holder has found all of its memory as it was, and has said that.
    void both_end_well(Process& holder, Process& taker, const std::string& told) const {
        tell("taker");
        EXPECT_EQ(taker.wait(), 0);
        tell("holder");
        EXPECT_EQ(holder.wait(), 0) << holder.out() << holder.err();
        EXPECT_NE(holder.out().find("over 0 0 0"), std::string::npos) << holder.out() << holder.err();
        EXPECT_NE((holder.out() + holder.err()).find(told), std::string::npos) << holder.out() << holder.err();
    }
    void ends_well(Process& holder) {
        tell("holder");
        EXPECT_EQ(holder.wait(), 0) << holder.out() << holder.err();
        EXPECT_NE(holder.out().find("over True True 0"), std::string::npos) << holder.out() << holder.err();
    }
};

}  // namespace xsched::test
