// Programs under a server of the test's that wants a keep-alive at every wait (queue/alive/keep_alive.h).
#pragma once

#include <limits>
#include <stop_token>
#include <thread>

#include "support/small_server.h"
#include "system/rm_rig.h"

namespace xsched::test {

// A program in Python that has the fake device's context and a stream, and goes on as `text` does. SIGUSR1 is for
// sigwait. The text may call check(), which ends the program if a call has failed, work(), which has memory set and
// waits for that, and ready(), which says so and waits for the signal.
inline std::string in_cuda(const std::string& text) {
    return R"(
import ctypes, os, signal, time
cuda, fake = ctypes.CDLL(None), ctypes.CDLL(os.environ["XSCHED_CUDA_LIB"])
class Hip:  # the same by HIP's functions
    NAMES = {"cuMemAlloc": "hipMalloc", "cuMemFree": "hipFree", "cuMemAllocAsync": "hipMallocAsync",
             "cuMemFreeAsync": "hipFreeAsync", "cuCtxSynchronize": "hipDeviceSynchronize",
             "cuStreamCreate": "hipStreamCreateWithFlags", "cuMemAllocFromPoolAsync": "hipMallocFromPoolAsync"}
    def __init__(self, library):
        self.library = library
    def __getattr__(self, name):
        plain = name.removesuffix("_v2")
        call = getattr(self.library, self.NAMES.get(plain, "hip" + plain[2:]))
        return self.tells(call) if plain.startswith(("cuMem", "cuPointer")) else call
    def tells(self, call):  # the thread's last error must be as after one call of the runtime
        def checked(*words):
            before = self.library.hipPeekAtLastError()
            code = call(*words)
            if self.library.hipPeekAtLastError() != (code or before):
                print("error", self.library.hipPeekAtLastError(), "after", call.__name__, code, flush=True)
                os._exit(4)
            return code
        return checked
    def cuCtxSetCurrent(self, context):
        return 0
    def cuStreamWaitValue32_v2(self, stream, word, value, flags):
        return self.library.hipStreamWaitValue32(stream, word, value, flags, ctypes.c_uint(0xffffffff))
if "XSCHED_HIP_LIB" in os.environ:
    cuda = Hip(cuda)
stream, memory, context = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_void_p()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuStreamCreate(ctypes.byref(stream), 1)
def check(code, what):
    if code:
        print("error", code, what, flush=True)
        os._exit(1)
def work():
    cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4096))
    cuda.cuMemsetD8Async(memory, 0, ctypes.c_size_t(4096), stream)
    cuda.cuStreamSynchronize(stream)
def ready():
    print("ready", flush=True)
    signal.sigwait({signal.SIGUSR1})
)" + text;
}

// Waits until the program has written `word` to this output. Returns whether it did.
inline bool comes_to_say(Process& program, const std::string& said, const std::string& word, size_t from = 0) {
    return eventually([&] { return (program.take_output(), said.find(word, from) != std::string::npos); });
}

// The order checker under a server that wants a keep-alive at every wait.
class CudaKeepAlive : public testing::Test {
protected:
    Environment environment(const Environment& more) const {
        Environment environment = directory.environment();
        environment["LD_PRELOAD"] = std::string(getenv("TEST_SHIM")) + ":" + getenv("TEST_FAKE_RM");
        environment["XSCHED_CUDA_LIB"] = getenv("TEST_DRIVER");
        environment["XSCHED_SCHEDULER"] = "global";
        environment["XSCHED_SOCKET"] = socket;
        environment["XSCHED_INTERRUPT"] = "1";
        environment["FAKE_RM_DIR"] = directory.path();
        environment["FAKE_CUDA_DELAY_US"] = "30";  // what does not wait is found out
        for (const auto& [name, value] : more) environment[name] = value;
        return environment;
    }
    // Asks the program for keep-alives, as the server does: before its first queue, so that a short program has some on
    // a busy machine as well. Returns once it has used a queue.
    void want_keep_alives() {
        ipc::Header& header = server.region().header;
        header.keep_alive_until_ns = hold_us == 0 ? std::numeric_limits<int64_t>::max() : 0;
        header.keep_alive_wanted = 1;
        EXPECT_TRUE(eventually([&] { return header.slot_end != 0; }));
        ipc::ring_directive(header);
    }
    void check(const char* operations, const Environment& more = {}) {
        Process checker({XSCHED_ORDER_CHECK, "--ops", operations, "--seed", "5", "--favour", favoured, "--without",
                         "capture,graphs", "--threads", threads},
                        environment(more));
        ASSERT_TRUE(server.wait_for_client());
        want_keep_alives();
        // A queue that is not bound yet when the bell rings is asked by the next ring.
        std::jthread asking([&](const std::stop_token& over) {
            for (; !over.stop_requested(); usleep(3'000)) {
                if (hold_us != 0)
                    hold_for_all();
                else
                    ipc::ring_directive(server.region().header);
            }
        });
        EXPECT_EQ(checker.wait(), 0) << checker.out() << checker.err();
        logged = checker.err();
    }
    // Asks every queue's process to hold the device before a burst.
    void hold_for_all() {
        ipc::Region& region = server.region();
        for (ipc::QueueSlot& slot : region.slots) {
            if (slot.state.load() != static_cast<uint32_t>(ipc::SlotState::kUsed)) continue;
            slot.warm_us = hold_us;
            ++slot.warm;
        }
        ipc::ring_directive(region.header);
    }
    // Returns how many keep-alives have ended or will end soon. Their numbers are even.
    uint32_t kept_alive() {
        uint32_t count = 0;
        for (const ipc::QueueSlot& slot : server.region().slots) count += slot.keep_alive.load() / 2;
        return count;
    }

    const PrivateDirectory directory;
    const std::string socket = directory.path() + "/xserver.sock";
    test::SmallServer server{socket};
    uint32_t hold_us = 0;
    const char* favoured = "synchronize";
    const char* threads = "4";
    std::string logged;
};

}  // namespace xsched::test
