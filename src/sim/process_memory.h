// A simulated process's memory on its device: what queue/memory and the shim do with it. It publishes the words of
// ipc/device_memory.h, carries the server's orders out with moves that take their time, and asks for memory that an
// allocation misses. The planner is the server's own (sched/memory).
#pragma once

#include <cstdint>

#include "ipc/layout.h"
#include "sim/agenda.h"
#include "sim/card.h"
#include "sim/told.h"
#include "sim/workload.h"

namespace xsched::sim {

struct MemoryResults {
    uint32_t swaps = 0;  // how often memory of it went to the host
    uint64_t moved_bytes = 0;  // both ways
    int64_t moving_ns = 0;
    int64_t waited_ns = 0;  // time in which it asked for memory, or had some on the host
    uint64_t refused_bytes = 0;  // size of the allocation that failed, which ended it; 0: none
};

class ProcessMemory final : public Actor {
public:
    ProcessMemory(Agenda& agenda, Card& card, const Workload& workload, const ProgramSpec& spec, ipc::Header& header);

    // Publishes its words if it uses memory. `server` null: it is not scheduled.
    void open(ProgramTold& program, RingTold* server, uint32_t id);
    // The outcome of an allocation. kWaits: the program waits, and allocates the same size again when it is told that
    // memory was answered for (ProgramTold).
    enum class Got : uint8_t { kAll, kWaits, kNothing };
    Got allocate(uint64_t bytes, int64_t now_ns);
    void release(uint64_t bytes, int64_t now_ns);
    // Gives all memory back: the program has ended.
    void release_all(int64_t now_ns);
    // Returns whether the program's thread has to wait wherever it would use the device.
    bool keeps_off() const { return off_; }
    // Reacts to a new directive.
    void directed(int64_t now_ns);
    void wake(int64_t now_ns) override;

    uint64_t on_card() const { return on_card_; }
    uint64_t on_host() const { return on_host_; }
    // Returns the results until now.
    MemoryResults results(int64_t now_ns) const;

private:
    enum class Move : uint8_t { kNone, kWorkEnds, kOut, kBack };
    bool uses_memory() const { return spec_.memory + spec_.burst_memory != 0; }
    bool fits_its_limit(uint64_t bytes) const;
    bool waits_for_answer() const;
    bool may_try_again();
    void ask(uint64_t bytes, int64_t now_ns);
    Got refuse(uint64_t bytes, int64_t now_ns);
    void publish(int64_t now_ns);
    void begin_move(int64_t now_ns);
    void move_out(uint64_t away, int64_t now_ns);
    void move_back(int64_t now_ns);
    void begin(Move move, uint64_t bytes, double gb_per_s, int64_t now_ns);
    void end_move(int64_t now_ns);
    void end_order(bool carried_out, int64_t now_ns);
    void count_wait(int64_t now_ns);

    Agenda& agenda_;
    Card& card_;
    const CardSpec& costs_;
    const ProgramSpec& spec_;
    ipc::DeviceMemory& words_;
    ipc::Header& header_;
    ProgramTold* program_ = nullptr;
    RingTold* server_ = nullptr;
    uint32_t id_ = 0;
    uint64_t on_card_ = 0;
    uint64_t on_host_ = 0;
    Move move_ = Move::kNone;
    uint64_t moving_bytes_ = 0;
    int64_t move_ends_ns_ = 0;
    int64_t ordered_ns_ = 0;  // since when an order waits for the program's work to end
    int64_t left_alone_until_ns_ = 0;
    bool off_ = false;
    bool asking_ = false;
    int tries_ = 0;
    uint32_t failed_ = 0;
    int64_t waits_since_ns_ = 0;  // 0: it does not wait
    MemoryResults results_;
};

}  // namespace xsched::sim
