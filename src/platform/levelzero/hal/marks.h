// Events of ours, from event pools of the program's context, which the host signals (holds) or the device (gates that
// were passed, ends of commands). For a command queue each event has a closed command list, which waits for it or
// signals it; a gate's list waits for the gate's word, and so does a hold's if the queue has a gate. A mark is used
// again once all commands that have it are complete. Guarded by its own lock, which no call of the driver is made with.
#pragma once

#include <atomic>

#include "base/mutex.h"
#include "base/no_copies.h"
#include "platform/levelzero/hal/gate.h"

namespace xsched::levelzero {

struct Mark {
    XzeMark mark;  // the first member: the shim has its address
    Mark* next = nullptr;
    Mark* made_before = nullptr;
    Mark* gate = nullptr;  // of a command: the gate before it
    uint64_t number = 0;  // of a command; of a hold or gate: the last command that may have it
    XqToken token = 0;
    std::atomic<uint32_t> state{0};  // a Flight's
};

class Marks : base::NoCopies {
public:
    enum class Kind { kHold, kGate, kEnd };

    Marks(const ZeApi& api, const XzeQueue& queue, const Gate& gate, Kind kind)
        : api_(api), queue_(queue), gate_(gate), kind_(kind) {}

    // Returns a mark whose event is not signalled; nullptr: the driver refuses, or memory is exhausted. `passed`: all
    // commands up to this number are complete.
    Mark* take(uint64_t passed);
    // Takes the mark back. It is used again when the command `number` is complete.
    void give(Mark* mark, uint64_t number);
    // Signals the events of all marks.
    void signal_all();
    // Destroys everything. No command that has a mark is on the device any more.
    void destroy();

private:
    struct Pool {
        ze_event_pool_handle_t handle;
        Pool* before;
    };

    Mark* take_spare(uint64_t passed);
    Mark* make();
    bool next_place(ze_event_pool_handle_t* pool, uint32_t* index);
    ze_event_pool_handle_t make_pool();
    bool make_list(Mark& mark);
    bool fill_list(const XzeMark& mark) const;

    static constexpr uint32_t kPoolEvents = 64;  // judgement: more commands are seldom in flight

    const ZeApi& api_;
    const XzeQueue& queue_;
    const Gate& gate_;
    const Kind kind_;
    base::Mutex mutex_;
    Mark* first_ = nullptr;  // spare marks, in the order in which they were given
    Mark* last_ = nullptr;
    Mark* made_ = nullptr;
    Pool* pools_ = nullptr;
    uint32_t used_ = kPoolEvents;  // places of the newest pool
};

}  // namespace xsched::levelzero
