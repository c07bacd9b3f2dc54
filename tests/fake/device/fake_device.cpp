#include "fake/device/fake_device.h"

#include <algorithm>
#include <utility>

#include "xsched/xqueue.h"

namespace xsched::fake {
namespace {

constexpr int kMark = -1;  // a marker: executes as nothing

FakeDevice& of(void* hwq) { return *static_cast<FakeDevice*>(hwq); }

struct FakeCommand {
    XqCommand base{};
    int id = 0;
};

XResult launch_command(XqCommand* command, void* hwq, XqToken token) {
    of(hwq).driver_launch({reinterpret_cast<FakeCommand*>(command)->id, nullptr, token});
    return kXSchedSuccess;
}
void destroy_command(XqCommand* command) { delete reinterpret_cast<FakeCommand*>(command); }
constexpr XqCommandOps kCommandOps = {launch_command, destroy_command};

XResult bind_words(void* hwq, const XqWords* words) {
    FakeDevice& device = of(hwq);
    ++device.binds;
    device.gate_word = words->gate;
    device.progress_word = words->progress;
    device.keep_alive_word = words->keep_alive;
    return kXSchedSuccess;
}
XResult refuse_words(void*, const XqWords*) { return kXSchedErrorNotSupported; }

XResult gate_wait(void* hwq) {
    ++of(hwq).gates_inserted;
    of(hwq).driver_launch({kMark, nullptr, 0, of(hwq).gate_word});
    return kXSchedSuccess;
}

XResult write_progress(void* hwq, uint32_t value) {
    FakeDevice& device = of(hwq);
    ++device.progress_written;
    uint32_t* word =
        device.progress_word != nullptr ? device.progress_word : reinterpret_cast<uint32_t*>(&device.passed);
    device.driver_launch({kMark, nullptr, 0, nullptr, word, value});
    return kXSchedSuccess;
}

XResult read_progress(void* hwq, uint32_t* value) {
    *value = of(hwq).passed;
    return kXSchedSuccess;
}

constexpr XqGateOps kGates = {.bind = bind_words,
                              .words_owner = nullptr,
                              .wait = gate_wait,
                              .write_progress = write_progress,
                              .read_progress = read_progress,
                              .cost = [](void* hwq) { return of(hwq).gate_cost; }};
XResult note_place(void* hwq, uint32_t value) {
    of(hwq).noted = value;
    return kXSchedSuccess;
}
XResult look(void* hwq, uint32_t* complete, uint32_t* begun) {
    *complete = of(hwq).complete;
    *begun = of(hwq).begun;
    return kXSchedSuccess;
}
constexpr XqGateOps make_reading() {
    XqGateOps ops = kGates;
    ops.note_place = note_place;
    ops.look = look;
    return ops;
}
constexpr XqGateOps kReading = make_reading();
constexpr XqGateOps kNoGates = {.bind = refuse_words,
                                .words_owner = nullptr,
                                .wait = gate_wait,
                                .write_progress = write_progress,
                                .read_progress = read_progress};

constexpr XqHoldOps kHolds = {
    .create = [](void* hwq) -> void* { return of(hwq).refuse_holds ? nullptr : of(hwq).make_hold(); },
    .open = [](void* hwq, void* hold) { of(hwq).set_hold(static_cast<FakeDevice::Hold*>(hold), false); },
    .drop = [](void* hwq, void* hold) { of(hwq).set_hold(static_cast<FakeDevice::Hold*>(hold), true); },
    .destroy = [](void* hwq, void*) { --of(hwq).holds_alive; }};

constexpr XqKeepAliveOps kKeepAlive = {
    .warm = [](void* hwq) -> XResult {
        ++of(hwq).warmed;
        return kXSchedSuccess;
    },
    .prepare = [](void* hwq) -> XResult {
        ++of(hwq).keep_alive_prepared;
        return of(hwq).refuse_keep_alive ? kXSchedErrorNotSupported : kXSchedSuccess;
    },
    .start = [](void* hwq, uint32_t number, int64_t ns, XqReturn when) -> XResult {
        of(hwq).keep_alives.push_back({number, ns, when});
        return of(hwq).refuse_keep_alive ? kXSchedErrorHardware : kXSchedSuccess;
    },
    .hold = [](void* hwq, uint32_t number, int64_t ns, int64_t behind_ns) -> XResult {
        of(hwq).held_before.push_back({number, ns, behind_ns});
        return of(hwq).refuse_keep_alive ? kXSchedErrorHardware : kXSchedSuccess;
    },
    .is_idle = [](void* hwq) -> XResult { return of(hwq).driver_is_idle ? kXSchedSuccess : kXSchedErrorNotAllowed; }};

void add_deactivate(XqStopOps& ops) {
    ops.deactivate = [](void* hwq) -> XResult {
        ++of(hwq).deactivated;
        of(hwq).set_stopped(true);
        return kXSchedSuccess;
    };
    ops.reactivate = [](void* hwq) -> XResult {
        ++of(hwq).reactivated;
        of(hwq).set_stopped(false);
        return kXSchedSuccess;
    };
}

void add_interrupt(XqStopOps& ops) {
    ops.interrupt = [](void* hwq, XqInterrupt how) -> XResult {
        ++of(hwq).interrupt_calls;
        of(hwq).taken_within = of(hwq).slot().taken;
        if (of(hwq).no_interrupt) return kXSchedErrorNotSupported;
        if (of(hwq).refuse_interrupt) return kXSchedErrorHardware;
        ++of(hwq).interrupted;
        of(hwq).last_interrupt = how;
        of(hwq).set_stopped(!of(hwq).only_slows);
        return kXSchedSuccess;
    };
    ops.restore = [](void* hwq) -> XResult {
        ++of(hwq).restored;
        of(hwq).set_stopped(false);
        return kXSchedSuccess;
    };
    ops.state = [](void* hwq) -> XqStopState {
        return {.stop = of(hwq).stop,
                .slowed = of(hwq).only_slows ? 1u : 0u,
                .paused = of(hwq).level_3_pauses ? 1u : 0u,
                .calls_us = of(hwq).calls_us};
    };
    ops.set_timeslice = [](void* hwq, uint32_t us) -> XResult {
        of(hwq).timeslices.push_back(us);
        return kXSchedSuccess;
    };
}

XqStopOps make_stop(const Traits& traits) {
    XqStopOps ops{};
    if (!traits.gated) add_deactivate(ops);
    if (!traits.gated || (traits.levels & 1u << kPreemptLevelInterrupt) != 0) add_interrupt(ops);
    return ops;
}

XqDeviceOps make_ops(const Traits& traits, const XqStopOps& stop) {
    XqDeviceOps ops{};
    ops.abi = XQ_DEVICE_ABI;
    ops.levels = traits.levels;
    ops.order = traits.in_order ? kXqInOrder : kXqAnyOrder;
    if (traits.gated) {
        ops.gate = traits.reads ? &kReading : traits.gates ? &kGates : &kNoGates;
        ops.keep_alive = &kKeepAlive;
    } else {
        if (traits.holds) ops.hold = &kHolds;
        ops.mark = [](void* hwq, XqToken token) -> XResult {
            of(hwq).driver_launch({kMark, nullptr, token});
            return kXSchedSuccess;
        };
    }
    ops.stop = &stop;
    if (stop.interrupt != nullptr) ops.costs = FakeDevice::kCosts;
    ops.synchronize = [](void* hwq) -> XResult {
        of(hwq).synchronize();
        return kXSchedSuccess;
    };
    ops.destroy = [](void* hwq) { ++of(hwq).destroyed; };
    return ops;
}

}  // namespace

FakeDevice::FakeDevice(Traits traits)
    : traits_(traits),
      stop_(make_stop(traits)),
      ops_(make_ops(traits, stop_)),
      region_(std::make_unique<ipc::Region>()) {
    xq_hwq_create(&hwq_, &ops_, this, reinterpret_cast<uint64_t>(this), 1);
    if (traits.through_api) {
        XQueueHandle handle = 0;
        XQueueCreate(&handle, hwq_, 0, 0);
        queue_ = queue::queue_from_handle(handle);
        return;
    }
    queue_ = queue::take_from_pool();
    queue::Setup setup;
    setup.ops = &ops_;
    setup.impl = this;
    setup.hwq = hwq_;
    setup.level = traits.levels >= (1u << 3) ? 3 : traits.levels >= (1u << 2) ? 2 : 1;
    queue_->begin(setup, {&region_->header, &region_->slots[queue_->index()]});
}

FakeDevice::~FakeDevice() {
    report_now();
    if (!stream_destroyed_) {
        queue_->resume(kQueueResumeFlagNone);
        if (!traits_.through_api) queue_->forget_directive();
        run_freely();
        queue_->wait_all();
        queue_->retire(kXqLastReport);
        while (queue_->is_taken()) std::this_thread::yield();
    }
    run_freely();
    synchronize();
    stop_running();
    // If the stream is destroyed, the queue object may not ask for the words any more, since their memory ends with
    // this object.
    if (!stream_destroyed_) queue_->is_free();
    HwQueueDestroy(hwq_);
}

void FakeDevice::destroy_stream() {
    stream_destroyed_ = true;
    queue_->retire(kXqLastReport);
}

bool FakeDevice::enqueue(int id, bool fail) { return enqueue(id, fail, false); }
bool FakeDevice::enqueue_marker(int id) { return enqueue(id, false, true); }

bool FakeDevice::enqueue(int id, bool fail, bool marker) {
    XqTicket ticket;
    (marker ? xq_admit_marker : xq_admit)(abi_queue(), &ticket);
    if (ticket.verdict == kXqBuffer) {
        auto* command = new FakeCommand;
        command->base.ops = &kCommandOps;
        command->id = id;
        xq_buffer(abi_queue(), &ticket, &command->base);
        return true;
    }
    if (launch_ns > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(launch_ns));
    if (!fail) driver_launch({id, static_cast<Hold*>(ticket.hold), ticket.token});
    xq_launched(abi_queue(), &ticket, fail ? kXqFailed : kXqSucceeded);
    return !fail;
}

void FakeDevice::driver_launch(const Item& item) {
    std::lock_guard lock(mutex_);
    items_.push_back(item);
    if (item.id != kMark) callers_.push_back(std::this_thread::get_id());
    changed_.notify_all();
}

bool FakeDevice::step() {
    XqToken token = 0;
    {
        std::lock_guard lock(mutex_);
        if (stopped_ || items_.empty()) return false;
        const Item item = items_.front();
        if (item.hold != nullptr && !item.hold->open && !item.hold->dropped) return false;
        if (item.gate != nullptr && __atomic_load_n(item.gate, __ATOMIC_ACQUIRE) < ipc::kGateOpen) return false;
        items_.pop_front();
        if (item.progress != nullptr) __atomic_store_n(item.progress, item.value, __ATOMIC_RELEASE);
        if (item.id != kMark && (item.hold == nullptr || !item.hold->dropped)) executed_.push_back(item.id);
        token = item.token;
        changed_.notify_all();
    }
    if (token != 0 && reports_late) {
        std::lock_guard lock(mutex_);
        late_.push_back(token);
    } else if (token != 0) {
        xq_complete(token);
    }
    return true;
}

void FakeDevice::report_now() {
    reports_late = false;
    for (const XqToken token : std::exchange(late_, {})) xq_complete(token);
}

void FakeDevice::run_freely() {
    if (running_.exchange(true)) return;
    executor_ = std::thread([this] {
        while (running_)
            if (!step()) {
                std::unique_lock lock(mutex_);
                changed_.wait_for(lock, std::chrono::milliseconds(1));
            }
    });
}

void FakeDevice::stop_running() {
    running_ = false;
    if (executor_.joinable()) executor_.join();
}

std::vector<int> FakeDevice::executed() {
    std::lock_guard lock(mutex_);
    return executed_;
}

size_t FakeDevice::in_driver() {
    std::lock_guard lock(mutex_);
    return items_.size();
}

size_t FakeDevice::runnable() {
    std::lock_guard lock(mutex_);
    return static_cast<size_t>(
        std::count_if(items_.begin(), items_.end(), [](const Item& i) { return i.hold == nullptr || i.hold->open; }));
}

int FakeDevice::driver_calls_on(std::thread::id thread) {
    std::lock_guard lock(mutex_);
    return static_cast<int>(std::count(callers_.begin(), callers_.end(), thread));
}

FakeDevice::Hold* FakeDevice::make_hold() {
    std::lock_guard lock(mutex_);
    ++holds_alive;
    return &holds_.emplace_back();
}

void FakeDevice::set_hold(Hold* hold, bool dropped) {
    std::lock_guard lock(mutex_);
    (dropped ? hold->dropped : hold->open) = true;
    changed_.notify_all();
}

void FakeDevice::set_stopped(bool stopped) {
    std::lock_guard lock(mutex_);
    stopped_ = stopped;
    changed_.notify_all();
}

void FakeDevice::synchronize() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return items_.empty(); });
}

}  // namespace xsched::fake
