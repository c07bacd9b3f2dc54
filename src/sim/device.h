// A model of a device that runs one process's context at a time. Kernels fill the device, one after the other. A
// timeslice ends a context's turn if another context has work, also in the middle of a kernel. Each change of context
// costs a switch. A context may be taken off the device, or kept from coming back (level 3). Gates are words in the
// slots.
//
// The simulation leaves out: kernels that share the device, copies, memory, clocks and heat.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/agenda.h"
#include "sim/observer.h"
#include "sim/random.h"
#include "sim/stream.h"
#include "sim/workload.h"

namespace xsched::sim {

enum class Off : uint8_t { kNo, kKeptOff, kTakenOff };

// One process's context on this device.
struct Context {
    uint32_t process = 0;  // its number in the world
    std::vector<Stream*> streams;
    int64_t timeslice_ns = 0;
    Off off = Off::kNo;
    size_t turn = 0;  // the stream that ran last
    int64_t used_ns = 0;  // device time of the program's own kernels
    int64_t held_from_ns = 0;  // begin of a keep-alive beside its streams
    int64_t held_until_ns = 0;

    bool held(int64_t now_ns) const { return now_ns >= held_from_ns && now_ns < held_until_ns; }
};

class Device final : public Actor {
public:
    Device(Agenda& agenda, const DeviceCosts& costs, uint32_t number, Observer* observer, Random random)
        : agenda_(agenda), costs_(costs), number_(number), observer_(observer), random_(random) {}

    Context& add_context(uint32_t process);
    // Looks at a context that changed: a command came, or a gate opened.
    void look(int64_t now_ns);
    // Looks at a context for which a command came; cheaper than look if that changes nothing.
    void came(const Context& context, int64_t now_ns) {
        if (running_ == nullptr || resident_ != &context) look(now_ns);
    }
    void set_off(Context& context, Off off, int64_t now_ns);
    void set_timeslice(Context& context, int64_t ns, int64_t now_ns);
    // Ends this stream's keep-alive at `end_ns`, when the next command is there.
    void end_hold(Stream& stream, int64_t end_ns, int64_t now_ns);
    // Lets a context keep the device without work, beside all of its streams.
    void hold(Context& context, int64_t from_ns, int64_t until_ns, int64_t now_ns);
    void wake(int64_t now_ns) override { look(now_ns); }

    // Returns the device time that the context has had by now.
    int64_t used_ns(const Context& context, int64_t now_ns) const {
        return context.used_ns + (resident_ == &context && running_ != nullptr ? now_ns - began_ns_ : 0);
    }
    int64_t busy_ns() const { return busy_ns_; }
    int64_t switching_ns() const { return switching_ns_; }
    uint64_t switches() const { return switches_; }
    uint64_t events() const { return events_; }

private:
    bool wants(const Context& context, int64_t now_ns) const;
    Context* other_that_wants(int64_t now_ns);
    int64_t soonest_ready_ns(int64_t now_ns) const;
    int64_t turn_ends_ns(int64_t now_ns) const;
    void finish_switch();
    void begin_switch(Context& to, int64_t now_ns);
    int64_t switch_ns();
    bool go_on(int64_t now_ns);
    bool begin_command(int64_t now_ns);
    void stop_command(int64_t now_ns);
    void complete(int64_t now_ns);

    Agenda& agenda_;
    const DeviceCosts& costs_;
    uint32_t number_;
    Observer* observer_;
    Random random_;
    std::vector<std::unique_ptr<Context>> contexts_;
    Context* resident_ = nullptr;
    size_t resident_at_ = 0;
    Context* switching_to_ = nullptr;
    int64_t switch_ends_ns_ = 0;
    int64_t turn_began_ns_ = 0;
    Stream* running_ = nullptr;
    int64_t began_ns_ = 0;
    int64_t busy_ns_ = 0;
    int64_t switching_ns_ = 0;
    uint64_t switches_ = 0;
    uint64_t events_ = 0;
};

}  // namespace xsched::sim
