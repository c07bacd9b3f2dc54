// Streams and the devices that run them.
//
// A stream is a bounded ring of commands. Programs add at its end, with their context's lock held; its device's
// executor takes from its front. Commands are named by (stream, number): numbers of one stream only grow, also when the
// object is used again for another stream, so that a name stays good for the process's life. A command's dependencies
// in other streams are a list of such names.
//
// Locks, in this order: Context::mutex, capture_mutex (capture.h), then one of the leaves (Device's, Event's,
// memory's).
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "fake/cuda/channels.h"
#include "fake/cuda/cuda_driver.h"
#include "fake/cuda/hardware.h"
#include "fake/cuda/settings.h"
#include "fake/cuda/shared_event.h"

namespace fake {

using Stream = CUstream_st;
using Context = CUctx_st;
struct Device;
struct Capture;

struct Place {  // of a command
    Stream* stream = nullptr;
    uint64_t number = 0;
    bool complete() const;
};

enum class Kind { kAction, kHostFunction, kWaitValue };

struct Command {
    Kind kind = Kind::kAction;
    std::function<void()> action;
    std::vector<Place> after;
    const SharedEvent* shared = nullptr;  // until that has been completed so often
    uint64_t shared_number = 0;
    CUdeviceptr address = 0;  // wait value: until the word there compares
    uint64_t value = 0;
    unsigned compare = 0;
    bool wide = false;  // 64 bits
    long writes = -1;  // by the device, when it last looked
    bool cooperative = false;
    HardwareQueue* hardware = nullptr;  // the one it is in, where there are such
    bool taken = false;  // its packet out of that
    int64_t met_ns = 0;  // since when it does (faults.h)
};

constexpr uint32_t kMagicStream = 0x5712ea30, kMagicContext = 0xc0217e87, kMagicEvent = 0xe7e2700e;

}  // namespace fake

struct CUstream_st {
    // The driver's data of a stream, to which the handle points. A real driver follows that pointer without a check,
    // so it crashes over an invalid handle.
    struct Body {
        fake::Context* context;
        CUstream stream;
    };

    uint32_t magic = fake::kMagicStream;
    std::atomic<bool> alive{false};
    std::atomic<Body*> to_body{&body};  // null: the stream is gone
    Body body{nullptr, this};
    fake::Device* device = nullptr;  // never changes
    fake::Context* context = nullptr;
    bool blocking = true;
    bool legacy = false;
    int priority = 0;
    uint64_t id = 0;
    fake::HardwareQueue* hardware = nullptr;  // where there are such; under the context's mutex
    bool of_errands = false;  // made by XSched's thread for errands, which may use no other
    std::mutex in_use;  // with FAKE_CUDA_SYNC_LOCK: held by who waits for all of it, and by who submits

    std::array<fake::Command, fake::kMostQueued> ring;
    std::atomic<uint64_t> submitted{0};  // under the context's mutex
    std::atomic<uint64_t> completed{0};  // the executor's
    bool handed_over = false;  // the executor's: the first command's host function is another thread's
    std::atomic<bool> host_done{false};

    fake::Capture* capture = nullptr;  // under capture_mutex
    std::vector<CUgraphNode> captured_last{};  // under capture_mutex: what the next captured command follows

    bool running = false;  // the executor's: its first command is under way

    bool idle() const { return submitted.load() == completed.load(); }
};

struct CUctx_st {
    uint32_t magic = fake::kMagicContext;
    std::atomic<bool> alive{true};
    fake::Device* device = nullptr;
    uint64_t id = 0;
    unsigned flags = 0;
    fake::Channels channels;
    std::mutex mutex;  // the context's lock: held by every call that submits
    std::vector<fake::Stream*> streams;  // alive; under mutex
    std::vector<fake::Place> destroyed;  // ends of streams that are not; under mutex
    fake::Stream* legacy = nullptr;
    std::map<std::thread::id, fake::Stream*> per_thread;  // under mutex
    fake::HardwareQueues hardware;  // under mutex
};

namespace fake {

// Runs the program's host functions, one at a time.
class HostThread {
public:
    void run(Stream* stream);

private:
    void loop();
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Stream*> streams_;  // under mutex_
    bool started_ = false;  // under mutex_
};

struct Device {
    explicit Device(int its_ordinal) : ordinal(its_ordinal) {}

    // Makes a stream that the executor serves from now on.
    Stream* new_stream(Context& context, bool blocking, int priority);
    void wake();
    // Called by the executor in the middle of a suspended kernel: lets other streams run meanwhile.
    void run_others();
    // Waits until `condition` is true; it is evaluated after every completed command.
    template <typename Condition>
    void wait_until(Condition condition);

    const int ordinal;
    std::mutex primary_mutex;
    Context* primary = nullptr;  // under primary_mutex
    int primary_users = 0;
    unsigned primary_flags = 0;

private:
    enum class Step { kEmpty, kWaiting, kRan };
    void loop();
    void refresh();
    void sleep(uint64_t seen);
    Step step(Stream& stream);
    bool may_run(const Stream& stream, const Command& command) const;
    void retire(size_t at);

    std::mutex mutex_;
    std::condition_variable work_added_;
    std::condition_variable progress_made_;
    std::vector<Stream*> added_;  // under mutex_: not yet in streams_
    std::vector<Stream*> spare_;  // under mutex_
    bool started_ = false;  // under mutex_
    std::atomic<uint64_t> work_{0};
    std::atomic<bool> asleep_{false};
    std::atomic<int> waiters_{0};
    std::vector<Stream*> streams_;  // the executor's
    HostThread host_thread_;
};

Device* device_at(int ordinal);  // nullptr: there is none
extern thread_local Device* t_device;  // whose executor this thread is

// Puts the command at the stream's end; waits there, with the context's lock, while the stream is full.
Place enqueue(Stream& stream, Command command);
// Puts the command at the end of `inner` instead, behind all that `stream` has now. Later commands of `stream` wait
// for it.
Place enqueue_inside(Stream& stream, Stream& inner, Command command);
void wait_for(const Place& place);
// Returns the stream's lock, held. As in real runtimes, a thread that waits for the stream keeps out threads that
// submit to it.
inline std::unique_lock<std::mutex> lock_stream(Stream& stream) {
    return g_settings.sync_lock ? std::unique_lock(stream.in_use) : std::unique_lock<std::mutex>();
}
void wait_for_all(const std::vector<Place>& places);
// Returns the last command of each of the context's streams.
std::vector<Place> ends_of(Context& context);
// Returns the last command submitted to the stream so far. A call that waits for the stream waits for this one.
inline Place end_of(Stream& stream) { return {&stream, stream.submitted.load()}; }

void note_kernel();

template <typename Condition>
void Device::wait_until(Condition condition) {
    for (int i = 0; i < 50; ++i) {
        if (condition()) return;
        std::this_thread::yield();
    }
    std::unique_lock lock(mutex_);
    waiters_.fetch_add(1);
    progress_made_.wait(lock, condition);
    waiters_.fetch_sub(1);
}

}  // namespace fake
