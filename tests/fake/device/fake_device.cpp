#include "fake/device/fake_device.h"

#include "xsched/xqueue.h"

#include <algorithm>
#include <utility>

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
    device.linger_word = words->linger;
    return kXSchedSuccess;
}
XResult refuse_words(void*, const XqWords*) { return kXSchedErrorNotSupported; }

void add_interrupt(XqDeviceOps& ops) {
    ops.costs = FakeDevice::kCosts;
    ops.interrupt = [](void* hwq, int keeps_off) {
        ++of(hwq).interrupt_calls;
        if (of(hwq).no_interrupt) return kXSchedErrorNotSupported;
        if (of(hwq).refuse_interrupt) return kXSchedErrorHardware;
        ++of(hwq).interrupted;
        of(hwq).kept_off = keeps_off != 0;
        of(hwq).set_stopped(true);
        return kXSchedSuccess;
    };
    ops.restore = [](void* hwq) {
        ++of(hwq).restored;
        of(hwq).set_stopped(false);
        return kXSchedSuccess;
    };
    ops.set_timeslice = [](void* hwq, uint32_t us) {
        of(hwq).timeslices.push_back(us);
        return kXSchedSuccess;
    };
}

XqDeviceOps make_ops(const Traits& traits) {
    XqDeviceOps ops{};
    ops.abi = XQ_DEVICE_ABI;
    ops.levels = traits.levels;
    ops.destroy = [](void* hwq) { ++of(hwq).destroyed; };
    ops.in_order = traits.in_order ? 1 : 0;
    if (traits.holds && !traits.throttle) {
        ops.hold_create = [](void* hwq) -> void* {
            if (of(hwq).refuse_holds) return nullptr;
            return of(hwq).make_hold();
        };
        ops.hold_open = [](void* hwq, void* hold) { of(hwq).set_hold(static_cast<FakeDevice::Hold*>(hold), false); };
        ops.hold_drop = [](void* hwq, void* hold) { of(hwq).set_hold(static_cast<FakeDevice::Hold*>(hold), true); };
        ops.hold_destroy = [](void* hwq, void*) { --of(hwq).holds_alive; };
    }
    ops.mark = [](void* hwq, XqToken token) {
        of(hwq).driver_launch({kMark, nullptr, token});
        return kXSchedSuccess;
    };
    ops.synchronize = [](void* hwq) {
        of(hwq).synchronize();
        return kXSchedSuccess;
    };
    if (traits.throttle) {
        ops.throttle = 1;
        ops.mark = nullptr;
        ops.bind = traits.gates ? bind_words : refuse_words;
        ops.gate_wait = [](void* hwq) {
            ++of(hwq).gates_inserted;
            of(hwq).driver_launch({kMark, nullptr, 0, of(hwq).gate_word});
            return kXSchedSuccess;
        };
        ops.progress_write = [](void* hwq, uint32_t value) {
            FakeDevice& device = of(hwq);
            ++device.progress_written;
            uint32_t* word = device.progress_word != nullptr ? device.progress_word
                                                             : reinterpret_cast<uint32_t*>(&device.passed);
            device.driver_launch({kMark, nullptr, 0, nullptr, word, value});
            return kXSchedSuccess;
        };
        ops.warm = [](void* hwq) {
            ++of(hwq).warmed;
            return kXSchedSuccess;
        };
        ops.linger = [](void* hwq, uint32_t number, int64_t, int waits) {
            of(hwq).lingers.push_back({number, waits != 0});
            return of(hwq).refuse_linger ? kXSchedErrorHardware : kXSchedSuccess;
        };
        ops.prepare_linger = [](void* hwq) {
            ++of(hwq).linger_prepared;
            return of(hwq).refuse_linger ? kXSchedErrorNotSupported : kXSchedSuccess;
        };
        ops.progress_read = [](void* hwq, uint32_t* value) {
            *value = of(hwq).passed;
            return kXSchedSuccess;
        };
        if ((traits.levels & 1u << kPreemptLevelInterrupt) != 0) add_interrupt(ops);
        return ops;
    }
    ops.deactivate = [](void* hwq) {
        ++of(hwq).deactivated;
        of(hwq).set_stopped(true);
        return kXSchedSuccess;
    };
    ops.reactivate = [](void* hwq) {
        ++of(hwq).reactivated;
        of(hwq).set_stopped(false);
        return kXSchedSuccess;
    };
    add_interrupt(ops);
    return ops;
}

}  // namespace

FakeDevice::FakeDevice(Traits traits)
    : traits_(traits), ops_(make_ops(traits)), region_(std::make_unique<ipc::Region>()) {
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
        queue_->retire(true);
        while (queue_->in_use()) std::this_thread::yield();
    }
    run_freely();
    synchronize();
    stop_running();
    // The memory of the words ends with this object: nobody may ask for them later.
    if (!stream_destroyed_) queue_->words_free();
    HwQueueDestroy(hwq_);
}

void FakeDevice::destroy_stream() {
    stream_destroyed_ = true;
    queue_->retire(true);
}

bool FakeDevice::enqueue(int id, bool fail, bool point) {
    XqTicket ticket;
    (point ? xq_admit_point : xq_admit)(abi_queue(), &ticket);
    if (ticket.verdict == kXqBuffer) {
        auto* command = new FakeCommand;
        command->base.ops = &kCommandOps;
        command->id = id;
        xq_buffer(abi_queue(), &ticket, &command->base);
        return true;
    }
    if (!fail) driver_launch({id, static_cast<Hold*>(ticket.hold), ticket.token});
    xq_launched(abi_queue(), &ticket, fail ? 0 : 1);
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
