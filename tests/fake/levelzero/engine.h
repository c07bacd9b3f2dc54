// Streams of commands, and the device's thread that runs them. A command queue and an immediate command list have a
// stream each. Commands of a stream start in their order: one that waits for events keeps back what comes behind it.
// Commands that do not wait, up to the next barrier, may run in any order, unless the stream keeps order. Of a wait for
// a word Intel's documents do not say that it keeps back what comes behind it, so there it does so in order alone.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "fake/levelzero/fake_ze.h"
#include "fake/levelzero/objects.h"

namespace fake {

struct Command {
    bool barrier = false;  // everything before it is complete first, and nothing behind it starts before
    std::vector<_ze_event_handle_t*> waits;
    const uint32_t* word = nullptr;  // the command waits until this is at least `least`
    uint32_t least = 0;
    std::function<void()> action;
    _ze_event_handle_t* signal = nullptr;
    _ze_event_handle_t* reset = nullptr;
    _ze_fence_handle_t* fence = nullptr;
};

class Device;

class Stream {
public:
    Stream(Device& device, bool in_order) : device_(device), in_order_(in_order) {}
    void submit(std::vector<Command> commands);
    // Returns false if time runs out.
    bool wait_idle(uint64_t timeout_ns);
    bool idle();
    Device& device() { return device_; }

private:
    friend class Device;
    // Takes a command that may run; graph mutex held. False: there is none.
    bool take(Command& command);
    std::vector<size_t> startable() const;

    Device& device_;
    const bool in_order_;
    std::deque<Command> commands_;
    bool running_ = false;
};

class Device {
public:
    explicit Device(ze_device_type_t its_type) : type(its_type) {}
    void add(Stream* stream);
    void remove(Stream* stream);
    void wake();

    const ze_device_type_t type;

private:
    friend class Stream;
    void loop();
    bool run_one();

    std::vector<Stream*> streams_;
    size_t next_ = 0;
    bool started_ = false;
};

// Guards all streams, events and fences.
std::mutex& graph_mutex();
// Something has completed, or was signalled.
std::condition_variable& changed();
// Waits until the condition holds. Returns false if time runs out.
bool wait_for(std::unique_lock<std::mutex>& lock, uint64_t timeout_ns, const std::function<bool()>& condition);
Device& device_at(int index);
void count_submitted(size_t commands);
// Returns whether a command that is not complete waits for a word in this memory. Graph mutex held.
bool waits_for_word_in(const void* memory);

}  // namespace fake
