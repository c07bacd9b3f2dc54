// A model of a gated XQueue (queue/path/gated_path.h), which itself would block the launching thread. Like the real one
// it counts commands in its slot, rings, and puts gates and reports among the commands. It tells its caller when to
// wait. The scheduler reads the same slot as ever. Without a scheduler it is only the driver's queue.
//
// The scheduler gets the true lengths of commands, or those that a process's meter derives from completions (meter.h).
#pragma once

#include <cstdint>

#include "base/hints.h"
#include "ipc/layout.h"
#include "sim/device.h"
#include "sim/meter.h"
#include "sim/stream.h"
#include "sim/told.h"
#include "sim/workload.h"

namespace xsched::sim {

struct QueueSetup {
    uint64_t handle = 0;
    uint64_t device = 0;  // the device's number as in slots
    uint32_t level = 3;
    bool silent_waits = false;
    uint32_t copies = 0;  // copies, in percent of the commands
    base::Hints hints;
};

class QueueModel final : public CompletionTold {
public:
    QueueModel(ProgramTold& program, Device& device, Context& context, const DeviceCosts& costs, bool meters)
        : program_(program), device_(device), context_(context), costs_(costs), meter_(meters) {
        stream_.queue = this;
    }
    // Opens the queue in a slot. `server` null: it is not scheduled, and the slot is only its own.
    void publish(ipc::Region& region, uint32_t index, const QueueSetup& setup, RingTold* server, int64_t now_ns);

    // --- called by the program's thread
    // Returns the host time that the launch took, or kWait: the caller tries again later with `retry`.
    static constexpr int64_t kWait = -1;
    int64_t launch(int64_t length_ns, bool retry, int64_t now_ns);
    uint64_t submitted() const { return submitted_; }
    bool is_complete(uint64_t mark) const { return done_ >= mark; }
    // Ends the keep-alive, or begins and ends a wait for all commands up to `mark`.
    void end_hold(int64_t now_ns);  // to the end of the burst: the program waits
    void sync_begin(int64_t now_ns);
    void sync_end(uint64_t mark, int64_t now_ns);
    bool closed() const { return slot_->gate.load(std::memory_order_relaxed) != ipc::kGateOpen; }

    // --- the device
    void completed_on_device(const Command& command, int64_t now_ns) override;

    // --- the agent
    void report_if_asked(int64_t now_ns);
    // Keeps the device for a predicted burst, if a directive asks for it.
    void hold_if_asked(int64_t now_ns);
    void hold_through(int64_t until_ns, int64_t now_ns);
    // Notes that the agent has acted: the process is off the device, or on it again.
    void follow_stop(bool taken_off, int64_t now_ns);
    MeterError meter_error() const { return meter_.error(); }
    bool suspended() const { return slot_->suspended.load(std::memory_order_relaxed) != 0; }
    ipc::QueueSlot& slot() { return *slot_; }
    // Notes that the gate was opened: commands behind it begin a little later.
    void note_gate(int64_t now_ns);
    Stream& stream() { return stream_; }

private:
    struct Plan {
        bool gate = false;
        bool report = false;
        bool wait = false;
    };
    bool followed() const;
    Plan decide(bool retry, bool closed, int64_t now_ns);
    uint32_t most_in_flight(bool closed) const;
    bool gate_due(bool closed);
    void announce_waiting(int64_t now_ns);
    void ring_ready(bool ready, int64_t now_ns);
    void note_progress(uint64_t completed, int64_t now_ns);
    void absorb_progress(int64_t now_ns);
    void report_all(int64_t now_ns);
    void write_progress(uint64_t number);
    int64_t gate_every_ns() const;

    ProgramTold& program_;
    Device& device_;
    Context& context_;
    const DeviceCosts& costs_;
    Stream stream_;
    RingTold* server_ = nullptr;
    ipc::Header* header_ = nullptr;
    ipc::QueueSlot* slot_ = nullptr;
    uint64_t submitted_ = 0;
    uint64_t done_ = 0;  // on the device
    uint64_t completed_ = 0;  // completions that the queue knows of
    uint64_t asked_ = 0;  // newest command that is asked to report
    Meter meter_;
    int64_t gated_ns_ = 0;  // begin of the suspension that the last gate belongs to
    uint32_t since_gate_ = 0;  // number of commands behind the last gate
    uint32_t ask_seen_ = 0;
    bool observed_ = false;
    bool waiting_ = false;
    bool was_closed_ = false;
    uint32_t hold_number_ = 0;
    uint32_t warm_seen_ = 0;
    bool held_ = false;
    int64_t held_behind_ns_ = 0;  // end of the keep-alive beside the stream, for a predicted burst
    bool ends_with_wait_ = false;
    bool silent_waits_ = false;
    uint32_t copies_percent_ = 0;
};

}  // namespace xsched::sim
