// A device without hardware for tests of the queue core: in-order queues that hold what was launched until a test
// lets it run (step) or an executor thread does (run_freely). Speaks queue/device.h like a real backend, in variants
// with and without holds and with levels 1 to 3, and records what ran in which order. Any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "ipc/layout.h"
#include "queue/abi/abi_pointer.h"
#include "queue/abi/queue_abi.h"
#include "queue/pool.h"
#include "queue/xqueue.h"

namespace xsched::fake {

struct Traits {
    bool holds = true;
    uint32_t levels = 1u << kPreemptLevelBlock;
    bool in_order = true;
    bool gated = false;  // gates and progress words; with `gates` false only progress that is asked for
    bool gates = true;
    bool reads = false;  // memory tells how far the device is (noted, complete, begun)
    bool through_api = false;  // made by XQueueCreate and placed by the agent; region() is not used then
};

class FakeDevice {
public:
    explicit FakeDevice(Traits traits);
    ~FakeDevice();

    // Does the shim's part in one enqueue of command `id` on this thread. False: the driver call failed.
    bool enqueue(int id, bool fail = false);
    bool enqueue_marker(int id);
    // Destroys the stream as a shim does: the queue ends, and the commands that the device has still run. The device
    // object must outlive them.
    void destroy_stream();

    // Runs the oldest launched command whose hold is open; false if there is none (or the hardware is stopped).
    bool step();
    void run_freely();  // from now on an executor thread steps
    void stop_running();
    std::atomic<bool> reports_late{false};  // completions are told only when report_now is called
    void report_now();

    std::vector<int> executed();  // ids in execution order
    size_t in_driver();  // launched and not executed, held ones included
    size_t runnable();  // launched, not executed, not held
    int driver_calls_on(std::thread::id thread);

    queue::XQueue& queue() { return *queue_; }
    XqQueue* abi_queue() { return queue::abi_pointer(*queue_); }
    ipc::Region& region() { return *region_; }
    ipc::QueueSlot& slot() { return *queue_->slot(); }
    XQueueHandle handle() const { return queue_->handle(); }
    HwQueueHandle hwq() const { return hwq_; }

    static constexpr XqCosts kCosts{// where it can be interrupted
                                    .switch_us = 30,
                                    .off_us = 200,
                                    .most_off_us = 1000,
                                    .effect_us = 50,
                                    .interrupt_us = 100};
    std::atomic<bool> no_interrupt{false};  // not supported
    std::atomic<bool> only_slows{false};  // an interrupt does
    std::atomic<bool> level_3_pauses{false};
    std::atomic<uint32_t> stop{1};  // the stop in force, as the device tells it
    std::atomic<int> interrupt_calls{0};
    std::vector<uint32_t> timeslices;  // as set
    uint32_t calls_us = 0;  // as XqStopState says them
    XqInterrupt last_interrupt = kXqTakeOff;
    uint32_t taken_within = 0;  // ipc::Taken of its slot, as the last interrupt saw it
    std::atomic<int> deactivated{0}, reactivated{0}, interrupted{0}, restored{0}, holds_alive{0}, destroyed{0};
    std::atomic<bool> refuse_holds{false}, refuse_interrupt{false};

    struct Hold {
        bool open = false;
        bool dropped = false;
    };
    struct Item {
        int id;
        Hold* hold;
        XqToken token;
        uint32_t* gate = nullptr;  // waits until it is open
        uint32_t* progress = nullptr;  // then stores
        uint32_t value = 0;
    };
    std::atomic<int> gates_inserted{0}, progress_written{0}, binds{0}, warmed{0};
    uint32_t* gate_word = nullptr;
    uint32_t* progress_word = nullptr;
    uint32_t* keep_alive_word = nullptr;
    struct KeepAlive {
        uint32_t number;
        int64_t ns;
        XqReturn when;
    };
    std::vector<KeepAlive> keep_alives;  // as asked for
    bool driver_is_idle = true;  // as it says of what is in the vendor's queue
    struct HeldBefore {
        uint32_t number;
        int64_t ns;
        int64_t behind_ns;
    };
    std::vector<HeldBefore> held_before;  // before there was work
    int keep_alive_prepared = 0;
    bool refuse_keep_alive = false;
    std::atomic<uint32_t> passed{0};  // for read_progress
    XqGateCost gate_cost{};  // as measured when words are bound
    int64_t launch_ns = 0;  // the driver's call takes so long
    std::atomic<uint32_t> noted{0}, complete{0}, begun{0};  // with `reads`
    void driver_launch(const Item& item);
    Hold* make_hold();
    void set_hold(Hold* hold, bool dropped);
    void set_stopped(bool stopped);
    void synchronize();

private:
    bool enqueue(int id, bool fail, bool marker);

    Traits traits_;
    XqStopOps stop_{};
    XqDeviceOps ops_{};
    std::unique_ptr<ipc::Region> region_;
    queue::XQueue* queue_ = nullptr;
    HwQueueHandle hwq_ = 0;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Item> items_;
    std::deque<Hold> holds_;  // all that were ever made: items may still point to one that the queue destroyed
    std::vector<int> executed_;
    std::vector<std::thread::id> callers_;
    bool stream_destroyed_ = false;
    std::vector<XqToken> late_;
    bool stopped_ = false;  // levels 2 and 3
    std::atomic<bool> running_{false};
    std::thread executor_;
};

}  // namespace xsched::fake
