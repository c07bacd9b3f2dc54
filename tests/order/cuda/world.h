// Contexts, streams and memory that the checker's threads share, and the reference model of that memory.
//
// A buffer's mutex is held from planning an access until it is submitted (and, for synchronous calls, until they
// return); threads only ever try to take it. Accesses of one buffer are thereby totally ordered, and each is tied to
// the one before it: by its stream, by the legacy stream's implicit synchronization, by an event, by a value operation
// or by the host. So the content after every access is known.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <vector>

#include "base/no_copies.h"
#include "order/core/options.h"
#include "order/core/pool.h"
#include "order/core/random.h"
#include "order/core/recent.h"
#include "order/cuda/tracker.h"

namespace order::cuda {

struct Context;

enum class Sort { kLegacy, kPerThread, kBlocking, kNonBlocking };

struct Stream : Recent<Tracker, 16> {
    Stream(Context& its_context, Sort its_sort, const void* its_owner);
    Stream(Context& its_context, bool blocking, int its_priority, const void* its_owner);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    bool created() const { return sort == Sort::kBlocking || sort == Sort::kNonBlocking; }
    // Returns whether commands of the two streams are ordered implicitly (by the legacy default stream's rule).
    bool synchronizes_with(const Stream& other) const;
    Context& context;
    const Sort sort;
    const int priority = 0;
    const void* const owner;  // the one worker that may use it; nullptr: all
    const int64_t created_after = g_operations.load(std::memory_order_relaxed);  // so many operations
    CUstream handle = nullptr;
    uint64_t created_at = 0;  // after so many submissions; 0: the driver's own
};
using StreamPtr = std::shared_ptr<Stream>;

// A buffer's mutex. Unlike a standard one, it may be tried by the thread that already holds it, which then fails as
// for any other thread.
class BufferMutex {
public:
    void lock() { free_.acquire(); }
    bool try_lock() { return free_.try_acquire(); }
    void unlock() { free_.release(); }

private:
    std::binary_semaphore free_{1};
};

// Device memory, or (without address) a word of the host that host functions work on.
struct Buffer {
    // Updates the model's content for an access that is being submitted.
    void apply(const Step& step, const Buffer* source = nullptr);

    BufferMutex mutex;  // guards everything below
    History history;
    CUdeviceptr address = 0;
    uint32_t host_word = 0;  // host functions alone touch it
    Words model{};           // content once everything submitted so far is complete; a host word: the first alone
    StreamPtr last_stream;   // of the last access; null: none, or one that is only known by `last`
    TrackerPtr last;         // the last access; null: submitted without an event
    int graphs = 0;          // that use it: it keeps its address
};

// A word of memory for one pair of value operations (write and wait), and the number that they use.
struct ValueWord {
    CUdeviceptr address = 0;
    uint32_t* host = nullptr;
    uint32_t number = 0;
};

struct Kernels {
    CUfunction append = nullptr, append_wide = nullptr, mix = nullptr, noop = nullptr, spin = nullptr;
};

// Makes the context current in this thread, by push and pop.
class InContext {
public:
    explicit InContext(const Context& context);
    ~InContext();
    InContext(const InContext&) = delete;
    InContext& operator=(const InContext&) = delete;
};

struct Context {
    Context(CUdevice its_device, bool is_primary);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    StreamPtr stream(Random& random) { return streams_.any(random); }
    std::vector<StreamPtr> streams() { return streams_.all(); }
    // Returns a stream for chaos: any stream, the legacy one and the workers' own streams among them.
    StreamPtr any_stream(Random& random);
    void add_private(const StreamPtr& stream) { private_.add(stream); }
    // Puts a new stream of a random sort in the place of a random one, and gives the old one back.
    StreamPtr replace_stream(Random& random) { return streams_.replace(new_stream(random), random); }
    ValueWord value_word();
    CUevent new_event(bool timing);

    CUdevice device;
    bool primary;
    bool value_operations = false;
    bool memory_pools = false;
    CUcontext handle = nullptr;
    CUmodule module = nullptr;
    CUlibrary library = nullptr;
    Kernels kernels;          // of the module
    Kernels library_kernels;  // the library's, as cudart passes them
    std::vector<std::unique_ptr<Buffer>> buffers;
    std::vector<std::unique_ptr<Buffer>> host_words;
    StreamPtr legacy;

private:
    StreamPtr new_stream(Random& random);
    Pool<Stream> streams_;
    Pool<Stream> private_;
    uint32_t* words_ = nullptr;
    std::atomic<uint64_t> next_word_{1};
};

struct World : xsched::base::NoCopies {
    explicit World(const Options& options);
    ~World();

    // Checks after all work that every buffer has the content that the model says.
    void check_buffers();

    std::string name;  // of the device
    std::vector<std::unique_ptr<Context>> contexts;
};

}  // namespace order::cuda
