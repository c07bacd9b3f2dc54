// Memory in stream order (cuMemAllocAsync) of a program whose memory may move: it makes room as other memory does, a
// freed block is used again in the order of the streams, and the pool's own calls tell and do what they do natively
// (docs/memory.md#memory-of-pools).
#include "system/memory_rig.h"

namespace xsched::test {
namespace {

constexpr const char* kPool = R"(
other, pool, start = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
check(cuda.cuStreamCreate(ctypes.byref(other), 1), "stream")
check(cuda.cuDeviceGetDefaultMemPool(ctypes.byref(pool), 0), "pool")
check(cuda.cuMemAlloc_v2(ctypes.byref(start), ctypes.c_size_t(4096)), "start")
check(cuda.cuMemsetD32_v2(start, ctypes.c_uint(0), ctypes.c_size_t(8)), "start")
def take(count, on=stream):
    check(cuda.cuMemAllocAsync(ctypes.byref(made), mib(count), on), "take")
    return made.value
def give(address, on=stream):
    return cuda.cuMemFreeAsync(n(address), on)
def hold(on):
    check(cuda.cuStreamWaitValue32_v2(on, start, ctypes.c_uint(1), 0), "hold")
def go():
    check(cuda.cuMemsetD32_v2(start, ctypes.c_uint(1), ctypes.c_size_t(1)), "go")
    check(cuda.cuCtxSynchronize(), "synchronize")
def asked_of_pool(which):
    check(cuda.cuMemPoolGetAttribute(pool, which, ctypes.byref(made)), "attribute")
    return made.value >> 20
def keeps(bytes):
    check(cuda.cuMemPoolSetAttribute(pool, 4, ctypes.byref(n(bytes))), "threshold")
)";

struct PoolWay {
    const char* name;
    const char* before;
    const char* after;
    const char* told;
    bool moves = true;
};
const PoolWay kPoolWays[] = {
    {"Written", "a = take(64); put(a, 64, 0x71)", "compare(a, 64, 0x71); check(give(a), 'give')", ""},
    {"Kept", "keeps(1 << 40); a = take(64); put(a, 64, 0x72); check(give(a), 'give'); b = take(64); put(b, 64, 0x73)",
     "print('told', a == b); compare(b, 64, 0x73); check(give(b), 'give')", "told True"},
    {"FreedByCuMemFree", "a = take(64); put(a, 64, 0x74)",
     "print('told', cuda.cuMemFree_v2(n(a)), give(a), cuda.cuMemFree_v2(n(a)))", "told 0 1 1"},
    {"FreedTwice", "b = take(64); put(b, 64, 0x75); a = take(4)",
     "print('told', give(a), give(a), cuda.cuMemFree_v2(n(a))); compare(b, 64, 0x75); check(give(b), 'give')",
     "told 0 1 1"},
    {"FromTheDefaultPoolByName",
     "check(cuda.cuMemAllocFromPoolAsync(ctypes.byref(made), mib(64), pool, stream), 'take')\n"
     "a = made.value; put(a, 64, 0x76)",
     "compare(a, 64, 0x76); check(give(a), 'give')", ""},
    {"InOrderOfTheStreams",  // at once in the stream that frees, and elsewhere when the free is reached
     "keeps(1 << 40); a = take(64); put(a, 64, 0x77); hold(stream); check(give(a), 'give'); b = take(64, other)\n"
     "c = take(64); go(); check(give(c), 'give'); go(); d = take(64, other); check(give(b, other), 'give')\n"
     "print('told', a == b, a == c, a == d); put(d, 64, 0x78)",
     "compare(d, 64, 0x78); check(give(d, other), 'give')", "told False True True"},
    {"OfAStreamThatHasEnded",  // another stream of the same handle is another stream
     "keeps(1 << 40); s = ctypes.c_void_p(); check(cuda.cuStreamCreate(ctypes.byref(s), 1), 'stream')\n"
     "a = take(64, s); put(a, 64, 0x79); hold(s); check(give(a, s), 'give'); check(cuda.cuStreamDestroy_v2(s), 'end')\n"
     "check(cuda.cuStreamCreate(ctypes.byref(s), 1), 'stream'); b = take(64, s); go(); put(b, 64, 0x7a)",
     "print('told', a == b); compare(b, 64, 0x7a); check(give(b, s), 'give')", "told False"},
    {"Attributes",
     "keeps(1 << 40); a = take(63); b = take(8); r = [asked_of_pool(i) for i in (5, 6, 7, 8)]; check(give(b), 'give')\n"
     "check(cuda.cuMemPoolSetAttribute(pool, 8, ctypes.byref(n(0))), 'reset')\n"
     "print('told', r, [asked_of_pool(i) for i in (5, 6, 7, 8)]); put(a, 63, 0x7b)",
     "compare(a, 63, 0x7b); check(give(a), 'give'); check(cuda.cuCtxSynchronize(), 'synchronize')\n"
     "check(cuda.cuMemPoolTrimTo(pool, mib(0)), 'trim'); print('then', asked_of_pool(5), asked_of_pool(7))",
     "told [72, 72, 71, 71] [72, 72, 63, 63]"},
    {"BesideACapture",  // the call asks nothing that a capture forbids
     "a = take(64); b = take(64); put(a, 64, 0x7d); graph = ctypes.c_void_p(); check(give(b), 'give'); "
     "time.sleep(0.15)\n"
     "check(cuda.cuStreamBeginCapture_v2(other, 0), 'begin'); freed = give(a)\n"
     "print('told', freed, cuda.cuStreamEndCapture(other, ctypes.byref(graph)))",
     "pass", "told 0 0"},
    {"RefusedInACapture",  // a free that is refused has freed nothing
     "a = take(64); put(a, 64, 0x7e); graph = ctypes.c_void_p()\n"
     "check(cuda.cuStreamBeginCapture_v2(other, 0), 'begin'); r = [give(a, other), cuda.cuMemFree_v2(n(a))]\n"
     "cuda.cuStreamEndCapture(other, ctypes.byref(graph)); put(a, 64, 0x7e)",
     "compare(a, 64, 0x7e); print('told', [code != 0 for code in r], asked_of_pool(7), give(a), give(a))",
     "told [True, True] 64 0 1"},
    {"OpenedToAnotherDevice",
     "a = take(64); put(a, 64, 0x7c)\n"
     "check(cuda.cuMemPoolSetAccess(pool, ctypes.byref(Access(1, 1, 3)), ctypes.c_size_t(1)), 'open'); b = take(4)",
     "compare(a, 64, 0x7c); check(give(a), 'give'); check(give(b), 'give')",
     "another device may use memory of its pool", false},
};

class CudaPoolMemory : public CudaMemory, public testing::WithParamInterface<PoolWay> {};

TEST_P(CudaPoolMemory, MakesRoomAndIsAsNatively) {
    const PoolWay& way = GetParam();
    if (on_hip() && std::string(way.name) == "RefusedInACapture")
        GTEST_SKIP() << "the runtime is not asked: the memory is given back after the capture";
    Environment environment = this->environment("0", 0, true, "holder");
    environment["BEFORE"] = std::string(kPool) + way.before;
    environment["WHILE"] = "pass";
    environment["AFTER"] = std::string(way.after) +
                           "\ncheck(cuda.cuCtxSynchronize(), 'synchronize')\n"
                           "check(cuda.cuMemPoolTrimTo(pool, mib(0)), 'trim')";
    Process holder({"/usr/bin/python3", "-c", in_cuda(kMaps)}, environment);
    ASSERT_TRUE(says(holder, "ready")) << holder.out() << holder.err();
    const auto taker = start(kTaker, "150", 10, false, "taker");
    EXPECT_TRUE(says(*taker, way.moves ? "code 0" : "code 2")) << taker->out() << taker->err() << holder.err();
    both_end_well(holder, *taker, way.told);
}

INSTANTIATE_TEST_SUITE_P(Every, CudaPoolMemory, testing::ValuesIn(kPoolWays),
                         [](const auto& it) { return std::string(it.param.name); });

}  // namespace
}  // namespace xsched::test
