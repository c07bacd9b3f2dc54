// One thread of the checker: draws operations, performs them on the shared world and keeps the model up to date.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "order/core/draw.h"
#include "order/core/options.h"
#include "order/core/pending.h"
#include "order/core/random.h"
#include "order/core/report.h"
#include "order/cuda/signaller.h"
#include "order/cuda/world.h"

namespace order::cuda {

// A stream as a driver call needs it: the table of functions (plain or per-thread) and the handle.
struct Target {
    const Api& api;
    CUstream handle;
};

class Worker : xsched::base::NoCopies {
public:
    Worker(World& world, Signaller& signaller, const Options& options, int number);
    ~Worker();

    void one_operation();
    // Waits for everything this worker has submitted.
    void settle_all() { pending_.settle_all(); }

private:
    using Lock = std::unique_lock<BufferMutex>;

    // How an access was made.
    struct Manner {
        bool synchronous = false;
        const char* memory = nullptr;  // the host's
        bool returned = false;         // that memory is the program's again, and holds what was read
    };
    // This worker's own objects in a context.
    struct Own {
        StreamPtr per_thread;
        StreamPtr captured, forked;  // captured now and then, otherwise used like any other
    };
    // A locked buffer, and a stream that is ordered behind the last access to it: whatever is launched there comes
    // after that access.
    struct Turn {
        Lock lock;
        Buffer* buffer = nullptr;
        StreamPtr stream;
    };
    // A copy between a locked buffer and the host's memory, on a stream that is ordered behind the buffer's last
    // access.
    struct HostCopy {
        Lock lock;
        Buffer* buffer = nullptr;
        bool pinned = false;
        bool synchronous = false;
        StreamPtr stream;
        std::unique_ptr<HostMemory> host;
    };
    struct Graph {
        CUgraphExec exec = nullptr;
        Buffer* first = nullptr;
        Buffer* second = nullptr;
        uint32_t seed = 0;  // of its values
        TrackerPtr last_launch;
    };

    // operations_kernel.cpp
    void run_append(Context& context);
    void run_mix(Context& context);
    void run_set(Context& context);
    void run_host_function(Context& context);
    CUresult launch_append(const Context& context, const Target& target, CUdeviceptr address, uint32_t value);
    // operations_copy.cpp
    void run_device_copy(Context& context);
    void run_peer_copy();
    void run_write(Context& context);
    void run_read(Context& context);
    // Without a buffer if none was found free quickly.
    HostCopy draw_host_copy(Context& context);
    // Makes it. at_once(api): the call that waits; in_order(target): one that does not.
    template <typename AtOnce, typename InOrder>
    void make(const HostCopy& it, const char* what, AtOnce at_once, InOrder in_order);
    void run_two_dimensional(Context& context);
    // operations_sync.cpp
    void run_poll();
    void run_elapsed();
    void run_stream_synchronize(Context& context);
    void run_context_synchronize(Context& context);
    void run_new_stream(Context& context);
    void run_host_signal(Context& context);
    // operations_memory.cpp
    void run_pool(Context& context);
    void run_new_memory(Context& context);
    // operations_graph.cpp
    void run_capture(Context& context);
    void run_graph(Context& context);
    void drop_graph(Context& context, size_t at);
    CUgraph capture(Context& context, Graph& graph, uint32_t seed);

    struct Operation;
    static const Operation kOperations[];
    static uint32_t weight_of(const Operation& operation);

    // A stream that this worker may use.
    StreamPtr pick_stream(Context& context);
    StreamPtr any_stream(Context& context);
    // Calls that name no stream: may_be_synchronous() tells whether to make one now, and the others return the stream
    // that it uses, and the table of functions in which that is the default stream.
    bool may_be_synchronous() const;
    StreamPtr synchronous_stream(Context& context);
    static const Api& default_api(const Stream& stream);
    Target target(const Stream& stream);
    // Returns a buffer that no other thread is using; null if none was found quickly.
    Buffer* take(std::vector<std::unique_ptr<Buffer>>& all, Lock& lock) { return order::take(all, lock, random_); }
    // Takes a free buffer of `all` and chooses a stream; without a buffer if none was found free quickly.
    Turn next_turn(Context& context, std::vector<std::unique_ptr<Buffer>>& all);
    // Orders what comes next on `stream` after the buffer's last access.
    void follow(const StreamPtr& stream, Buffer& buffer);
    TrackerPtr last_access(Buffer& buffer);
    // The access was submitted to `stream`.
    void accessed(const StreamPtr& stream, const std::vector<Buffer*>& buffers, const char* what) {
        accessed(stream, buffers, what, {}, nullptr);
    }
    void accessed(const StreamPtr& stream, const std::vector<Buffer*>& buffers, const char* what, const Manner& manner,
                  std::unique_ptr<HostMemory> host = nullptr);
    // Adds it to the buffers' histories.
    void note(const Stream& stream, const std::vector<Buffer*>& buffers, const char* what) {
        note(stream, buffers, what, {});
    }
    void note(const Stream& stream, const std::vector<Buffer*>& buffers, const char* what, const Manner& manner);
    void wait_by_value(Stream& before, const Stream& after);
    TrackerPtr record(Stream& stream, const char* what);
    void track(const TrackerPtr& tracker);

    // Workers that capture at this moment.
    static std::atomic<int>& capturing_workers();

    const int number_;
    World& world_;
    Signaller& signaller_;
    Random random_;
    std::map<Context*, Own> own_;
    std::map<Context*, std::vector<Graph>> graphs_;
    Pending<TrackerPtr> pending_;
    std::vector<TrackerPtr> dependencies_;  // of the access being planned
    bool capturing_ = false;  // then nothing may be waited for
};

}  // namespace order::cuda
