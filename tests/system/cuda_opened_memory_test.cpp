// Memory that can move is shared between processes as other memory is (cuIpcGetMemHandle, docs/memory.md#what-moves):
// the program that has it and the one that opens it see each other's bytes.
#include "support/users.h"
#include "system/memory_rig.h"

namespace xsched::test {
namespace {

// A program that shares a block of three pieces. The last piece ends with half a granule that the program did not ask
// for.
constexpr const char* kSharedBlock = R"(
BLOCK = (160 << 20) + (1 << 20)
class Name(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_ubyte * 64)]
PLACES = [0, 64 << 20, 128 << 20, BLOCK - 4]
word = ctypes.c_uint()
def put(address, value):
    check(cuda.cuMemsetD32_v2(ctypes.c_uint64(address), ctypes.c_uint(value), ctypes.c_size_t(1)), "set")
def get(address):
    check(cuda.cuMemcpyDtoH_v2(ctypes.byref(word), ctypes.c_uint64(address), ctypes.c_size_t(4)), "copy")
    return word.value
def wait(what):
    end = time.time() + 60
    while not os.path.exists(os.environ[what]) and time.time() < end:
        time.sleep(0.01)
)";

// Prints how many of its descriptors are sockets of the thread that hands out pieces. So do a child, which has no
// device, and a program that is started afterwards.
constexpr const char* kForks = R"(
import socket, subprocess
SOCKETS = """
import os
ours = {line.split()[6] for line in open("/proc/self/net/unix") if "@xsched-memory-" in line}
links = []
for number in os.listdir("/proc/self/fd"):
    try:
        links.append(os.readlink("/proc/self/fd/" + number))
    except OSError:
        pass
print(WHO, sum(link == "socket:[%s]" % inode for link in links for inode in ours), flush=True)
"""
# Connects to the thread and asks for nothing. Until the peer is closed the thread has a second socket open.
def connect_silently():
    inodes = {os.readlink("/proc/self/fd/" + number)[8:-1] for number in os.listdir("/proc/self/fd")
              if os.path.exists("/proc/self/fd/" + number) or os.path.islink("/proc/self/fd/" + number)}
    name = [line.split()[7] for line in open("/proc/self/net/unix")
            if "@xsched-memory-" in line and line.split()[6] in inodes][0]
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    peer.connect("\0" + name[1:])
    time.sleep(0.2)
    exec(SOCKETS, {"WHO": "then the parent has"})
    return peer
def fork_a_child():
    exec(SOCKETS, {"WHO": "parent has"})
    subprocess.run(["/usr/bin/python3", "-c", "WHO = 'program has'" + SOCKETS], close_fds=False,
                   env={key: value for key, value in os.environ.items() if key != "LD_PRELOAD"})
    peer = connect_silently()
    forked = os.fork()
    peer.close()
    if forked == 0:
        exec(SOCKETS, {"WHO": "child has"})
        print("child gets", cuda.cuIpcGetMemHandle(ctypes.byref(name), block), cuda.cuMemFree_v2(block), flush=True)
        wait("CHILD")
        os._exit(0)
)";

// Shares a block, whose name it writes, and has another one. It says what is in the block when STOP is there.
constexpr const char* kSharer = R"(
block, other, name, again = ctypes.c_uint64(), ctypes.c_uint64(), Name(), Name()
check(cuda.cuMemAlloc_v2(ctypes.byref(block), ctypes.c_size_t(BLOCK)), "cuMemAlloc")
check(cuda.cuMemAlloc_v2(ctypes.byref(other), ctypes.c_size_t(64 << 20)), "cuMemAlloc")
for number, place in enumerate(PLACES):
    put(block.value + place, 500 + number)
put(other.value, 77)
check(cuda.cuIpcGetMemHandle(ctypes.byref(name), ctypes.c_uint64(block.value + (100 << 20))), "name")
check(cuda.cuIpcGetMemHandle(ctypes.byref(again), block), "name")
with open(os.environ["NAME"] + ".new", "wb") as file:
    file.write(bytes(name))
os.rename(os.environ["NAME"] + ".new", os.environ["NAME"])
own = ctypes.c_uint64()
if "CHILD" in os.environ:
    fork_a_child()
print("ready", bytes(name) == bytes(again), cuda.cuIpcOpenMemHandle_v2(ctypes.byref(own), name, 1), flush=True)
wait("FREE")
print("sees", [get(block.value + place) for place in PLACES], flush=True)
check(cuda.cuMemFree_v2(block), "free")
print("freed", flush=True)
wait("STOP")
print("other", get(other.value), fake.fake_cuda_errors(), flush=True)
)";

// A program that opens the block twice, adds 1 to each word, and prints the words after STOP.
constexpr const char* kOpener = R"(
told = os.environ.get("TOLD")  # by a user whose files it cannot read
name = Name.from_buffer_copy(bytes.fromhex(told) if told else open(os.environ["NAME"], "rb").read())
memory, again, begin, size = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_size_t()
code = cuda.cuIpcOpenMemHandle_v2(ctypes.byref(memory), name, 1)
print("opened", code, flush=True)
if code:
    os._exit(0)
check(cuda.cuIpcOpenMemHandle_v2(ctypes.byref(again), name, 1), "open again")
check(cuda.cuMemGetAddressRange_v2(ctypes.byref(begin), ctypes.byref(size), ctypes.c_uint64(memory.value + PLACES[2])),
      "range")
print("whole", again.value == memory.value == begin.value, size.value == BLOCK, flush=True)
print("reads", [get(memory.value + place) for place in PLACES], flush=True)
for place in PLACES:
    put(memory.value + place, get(memory.value + place) + 1)
check(cuda.cuIpcCloseMemHandle(memory), "close")
print("answered", flush=True)
wait("STOP")
print("still", [get(memory.value + place) for place in PLACES], flush=True)
check(cuda.cuIpcCloseMemHandle(memory), "close")
print("closed", cuda.cuIpcCloseMemHandle(memory), fake.fake_cuda_live(b"piece"), fake.fake_cuda_live(b"reservation"),
      fake.fake_cuda_errors(), flush=True)
)";

class CudaOpenedMemory : public CudaMemory {
protected:
    CudaOpenedMemory() { card_mib_ = 320; }

    std::unique_ptr<Process> start_with(const char* text, bool evictable, const Environment& more) const {
        Environment environment = this->environment("0", 0, evictable, "stop");
        environment["NAME"] = directory.path() + "/name";
        environment["FREE"] = directory.path() + "/free";
        for (const auto& [variable, value] : more) environment[variable] = value;
        return std::make_unique<Process>(
            std::vector<std::string>{"/usr/bin/python3", "-c", in_cuda(std::string(kSharedBlock) + kForks + text)},
            environment);
    }
    std::unique_ptr<Process> sharer_that_is_ready(const Environment& more = {}) const {
        auto sharer = start_with(kSharer, true, more);
        EXPECT_TRUE(says(*sharer, "ready True 201")) << sharer->out() << sharer->err();
        return sharer;
    }
    // Returns what to preload for a program without the shim: the driver in its place, behind a sanitizer's runtime.
    static std::string driver_alone() {
        std::string preload = getenv("TEST_SHIM");
        const std::string shim = getenv("TEST_SHIM_FILE");
        return preload.replace(preload.find(shim), shim.size(), getenv("TEST_DRIVER"));
    }
    // Runs a program that opens the shared memory. Returns the driver's result code that it prints.
    std::string opens(const Environment& more, std::string* log = nullptr) const {
        const auto opener = start_with(kOpener, false, more);
        EXPECT_EQ(opener->wait(), 0) << opener->out() << opener->err();
        if (log != nullptr) *log = opener->err();
        return opener->out();
    }
};

TEST_F(CudaOpenedMemory, BothSidesSeeTheSameBytes) {
    const auto sharer = sharer_that_is_ready();
    const auto opener = start_with(kOpener, false, {});
    EXPECT_TRUE(says(*opener, "answered")) << opener->out() << opener->err() << sharer->err();
    EXPECT_NE(opener->out().find("whole True True"), std::string::npos) << opener->out();
    EXPECT_NE(opener->out().find("reads [500, 501, 502, 503]"), std::string::npos) << opener->out();
    tell("free");  // the opener has it mapped still
    EXPECT_TRUE(says(*sharer, "freed")) << sharer->out() << sharer->err();
    EXPECT_NE(sharer->out().find("sees [501, 502, 503, 504]"), std::string::npos) << sharer->out();
    tell("stop");
    EXPECT_EQ(opener->wait(), 0) << opener->out() << opener->err();
    EXPECT_NE(opener->out().find("still [501, 502, 503, 504]"), std::string::npos) << opener->out();
    EXPECT_NE(opener->out().find("closed 1 0 0 0"), std::string::npos) << opener->out();
    EXPECT_EQ(sharer->wait(), 0) << sharer->err();
    EXPECT_NE(sharer->out().find("other 77 0"), std::string::npos) << sharer->out();
}

// On a card of 320 MiB, 162 MiB stay because they are shared; the rest may be moved away for other programs.
TEST_F(CudaOpenedMemory, WhatIsSharedStaysAndTheRestMakesRoom) {
    const auto sharer = sharer_that_is_ready();
    const auto opener = start_with(kOpener, false, {});
    EXPECT_TRUE(says(*opener, "answered")) << opener->out() << opener->err();
    const auto taker = start(kTaker, "120", 10, false, "taker");
    EXPECT_TRUE(says(*taker, "code 0")) << taker->out() << taker->err() << sharer->err();
    tell("taker");
    EXPECT_EQ(taker->wait(), 0);
    tell("free");
    tell("stop");
    EXPECT_EQ(opener->wait(), 0) << opener->out() << opener->err();
    EXPECT_NE(opener->out().find("still [501, 502, 503, 504]"), std::string::npos) << opener->out();
    EXPECT_EQ(sharer->wait(), 0) << sharer->err();
    EXPECT_NE(sharer->out().find("other 77 0"), std::string::npos) << sharer->out();
}

TEST_F(CudaOpenedMemory, WithoutTheOtherSideItFailsAndSaysSo) {
    const auto sharer = sharer_that_is_ready();
    EXPECT_NE(opens({{"LD_PRELOAD", driver_alone()}}).find("opened 1"), std::string::npos);
    tell("free");
    EXPECT_TRUE(says(*sharer, "freed")) << sharer->err();
    std::string log;
    EXPECT_NE(opens({}, &log).find("opened 400"), std::string::npos);  // it has been freed
    EXPECT_NE(log.find("cannot be opened: it has been freed"), std::string::npos) << log;
    tell("stop");
    EXPECT_EQ(sharer->wait(), 0) << sharer->err();
    EXPECT_NE(opens({}, &log).find("opened 205"), std::string::npos);
    EXPECT_NE(log.find("the process has ended"), std::string::npos) << log;
}

// The child is without a device, as natively. The parent goes on sharing, and takes its socket with it when it ends.
TEST_F(CudaOpenedMemory, AForkedChildSharesNothingAndDisturbsNothing) {
    const auto sharer = sharer_that_is_ready({{"CHILD", directory.path() + "/child"}});
    for (const char* line : {"parent has 1", "program has 0", "then the parent has 2", "child has 0", "child gets 3 3"})
        EXPECT_TRUE(says(*sharer, line)) << line << sharer->out() << sharer->err();
    const auto opener = start_with(kOpener, false, {});
    EXPECT_TRUE(says(*opener, "answered")) << opener->out() << opener->err() << sharer->err();
    kill(sharer->pid(), SIGKILL);
    sharer->wait();
    EXPECT_NE(opens({}).find("opened 205"), std::string::npos) << "the child does not keep it";
    tell("child");
    tell("stop");
    EXPECT_EQ(opener->wait(), 0) << opener->out() << opener->err();
}

TEST_F(CudaOpenedMemory, AnotherUserGetsNothing) {
    NEEDS_ROOT("to become another user");
    const auto sharer = sharer_that_is_ready();
    std::ifstream file(directory.path() + "/name", std::ios::binary);
    std::string told;
    for (char byte = 0; file.get(byte);) {
        char digits[3];
        snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
        told += digits;
    }
    Environment environment = this->environment("0", 0, false, "stop");
    environment["TOLD"] = told;
    environment["FAKE_CUDA_SHARED"] = "";
    Process opener(nobody_runs({"/usr/bin/python3", "-c", in_cuda(std::string(kSharedBlock) + kOpener)}), environment);
    EXPECT_EQ(opener.wait(), 0) << opener.out() << opener.err();
    EXPECT_NE(opener.out().find("opened 205"), std::string::npos) << opener.out() << opener.err();
    EXPECT_NE(opener.err().find("belongs to another user"), std::string::npos) << opener.err();
    tell("free");
    tell("stop");
    EXPECT_EQ(sharer->wait(), 0) << sharer->err();
}

}  // namespace
}  // namespace xsched::test
