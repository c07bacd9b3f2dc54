// The ways in which a program hands its memory on (docs/memory.md#what-moves): each call does what it does natively.
// Memory of which others may know from then on stays on the device, and all other memory makes room.
#include "system/memory_rig.h"

namespace xsched::test {
namespace {

// The program allocates BLOCK bytes, makes the call, and says `ready`; then it waits
// until the test says STOP, writes, compares and frees. `told`: what it has to print about the call.
constexpr const char* kHandsOn = R"(
BLOCK = 64 << 20

number, size, word = ctypes.c_uint64(), ctypes.c_size_t(), ctypes.c_uint()
def allocate():
    memory = ctypes.c_uint64()
    check(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(BLOCK)), "cuMemAlloc")
    check(cuda.cuMemsetD32_v2(memory, ctypes.c_uint(0x51), ctypes.c_size_t(BLOCK // 4)), "set")
    return memory
def compare(memory, value):
    for at in range(0, BLOCK, 1 << 20):
        check(cuda.cuMemcpyDtoH_v2(ctypes.byref(word), ctypes.c_uint64(memory.value + at), ctypes.c_size_t(4)), "copy")
        if word.value != value:
            print("wrong: %x at %d" % (word.value, at), flush=True)
            os._exit(3)
def wait():
    end = time.time() + 60
    while not os.path.exists(os.environ["STOP"]) and time.time() < end:
        time.sleep(0.01)
block = allocate()
exec(os.environ["CALL"])
print("ready", flush=True)
wait()
if block:
    compare(block, 0x51)
    check(cuda.cuMemFree_v2(block), "free")
print("over", fake.fake_cuda_live(b"piece"), fake.fake_cuda_live(b"reservation"), fake.fake_cuda_errors(), flush=True)
)";

struct HandedOn {
    const char* name;
    const char* call;
    const char* told;  // in its output, or its log
    bool stays;
};
const HandedOn kHandedOn[] = {
    {"NothingDone", "print('told', flush=True)", "told", false},
    {"MemHandle",
     "name = ctypes.create_string_buffer(64)\n"
     "print('told', cuda.cuIpcGetMemHandle(name, block))",
     "told 0", true},
    {"MemHandleWithoutDescriptors",  // memory of the driver's own, which the program gets from then on, has one
     "name = ctypes.create_string_buffer(64)\n"
     "print('told', cuda.cuIpcGetMemHandle(name, block))\n"
     "more = allocate()\n"
     "print('then', cuda.cuIpcGetMemHandle(name, more), flush=True)\n"
     "check(cuda.cuMemFree_v2(more), 'free')",
     "told 1\nthen 0", true},
    {"SyncMemops", "print('told', cuda.cuPointerSetAttribute(ctypes.byref(ctypes.c_uint(1)), 6, block))", "told 0",
     true},
    {"Texture",
     "r = (ctypes.c_uint64 * 18)(2, block.value)\n"
     "print('told', cuda.cuTexObjectCreate(ctypes.byref(number), r, None, None))",
     "told 0", true},
    {"AddressRange",
     "print('told', cuda.cuMemGetAddressRange_v2(ctypes.byref(number), ctypes.byref(size), ctypes.c_uint64(block.value "
     "+ BLOCK // 2)), number.value == block.value, size.value == BLOCK)",
     "told 0 True True", false},
    {"RangeAttribute",
     "print('told', cuda.cuPointerGetAttribute(ctypes.byref(number), 11, ctypes.c_uint64(block.value + 5)), "
     "number.value == block.value)",
     "told 0 True", false},
    {"AllocationHandle", "print('told', cuda.cuMemRetainAllocationHandle(ctypes.byref(number), block))", "told 1",
     false},
    {"Peer",
     "other = ctypes.c_void_p()\n"
     "check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(other), 1), 'retain')\n"
     "cuda.cuCtxSetCurrent(other)\n"
     "print('told', cuda.cuCtxEnablePeerAccess(context, 0))\n"
     "cuda.cuCtxSetCurrent(context)",
     "told 0", true},
    {"FreeAsync", "print('told', cuda.cuMemFreeAsync(block, stream))\nblock = None", "told 0", false},
    {"OwnPool",  // any other handle than the default pool's stands for it
     "check(cuda.cuMemAllocFromPoolAsync(ctypes.byref(number), ctypes.c_size_t(2 << 20), ctypes.c_void_p(77), stream), "
     "'async')",
     "memory that the program gets by cuMemAllocFromPoolAsync stays", false},
    {"Fork",
     "child = os.fork()\n"
     "if child == 0:\n    os._exit(cuda.cuMemFree_v2(block))\n"
     "print('told', os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))",
     "told 3", false},
    {"NetworkCard",  // a file of that name stands for it
     "import mmap, tempfile\n"
     "folder = tempfile.mkdtemp() + '/dev/infiniband'\n"
     "os.makedirs(folder)\n"
     "file = open(folder + '/uverbs0', 'w+b')\n"
     "file.truncate(4096)\n"
     "mapped = mmap.mmap(file.fileno(), 4096)",
     "a network card that the program has opened", true},
    {"LibraryForDisks",  // PyTorch loads it everywhere
     "import shutil, tempfile\n"
     "copy = tempfile.mkdtemp() + '/libcufile.so.0'\n"
     "shutil.copy([line.split()[-1] for line in open('/proc/self/maps') if '/libm.so' in line or 'libffi' in line][0], "
     "copy)\n"
     "ctypes.CDLL(copy)\n"
     "print('told', copy in open('/proc/self/maps').read(), flush=True)",
     "told True", false},
    {"FreeInCapture",
     "graph, mode, other = ctypes.c_void_p(), ctypes.c_int(2), allocate()\n"
     "check(cuda.cuThreadExchangeStreamCaptureMode(ctypes.byref(mode)), 'mode')\n"
     "check(cuda.cuStreamBeginCapture_v2(stream, 2), 'begin')\n"
     "freed = cuda.cuMemFree_v2(other)\n"
     "print('told', freed, cuda.cuStreamEndCapture(stream, ctypes.byref(graph)))\n"
     "check(cuda.cuMemFree_v2(allocate()), 'free')",  // what was freed in the capture goes with it
     "told 0 0", false},
};

class CudaHandedMemory : public CudaMemory, public testing::WithParamInterface<HandedOn> {};

// The call does what it does natively. Memory that others may know from then on stays; all other memory makes room.
TEST_P(CudaHandedMemory, IsAsNatively) {
    const HandedOn& way = GetParam();
    Environment environment = this->environment("64", 0, true, "holder");
    environment["CALL"] = way.call;
    environment["FAKE_CUDA_NO_DESCRIPTORS"] = std::string(way.name).ends_with("WithoutDescriptors") ? "1" : "0";
    Process holder({"/usr/bin/python3", "-c", in_cuda(kHandsOn)}, environment);
    ASSERT_TRUE(says(holder, "ready")) << holder.out() << holder.err();
    const auto taker = start(kTaker, "150", 10, false, "taker");
    const bool has_block = std::string(way.name) != "FreeAsync";
    EXPECT_TRUE(says(*taker, way.stays && has_block ? "code 2" : "code 0"))
        << taker->out() << taker->err() << holder.err() << server->process().err();
    both_end_well(holder, *taker, way.told);
    const bool said = holder.err().find("stays on the device from now on") != std::string::npos;
    EXPECT_EQ(said, way.stays) << holder.err();
}

INSTANTIATE_TEST_SUITE_P(Every, CudaHandedMemory, testing::ValuesIn(kHandedOn),
                         [](const auto& it) { return std::string(it.param.name); });

}  // namespace
}  // namespace xsched::test
