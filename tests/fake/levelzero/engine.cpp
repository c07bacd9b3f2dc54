#include "fake/levelzero/engine.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "fake/levelzero/settings.h"
#include "fake/levelzero/turn.h"

namespace fake {
namespace {

// The time between a command's end and its work in the break mode "early": long enough for a busy machine's checker.
constexpr auto kEarlyBy = std::chrono::milliseconds(2);
// One command in so many ends early. Judgement: a checker sees only those for which it waits at once, one in 30 or so,
// and is to see a dozen in a run of 20,000 commands at the least.
constexpr uint64_t kEarlyOnceIn = 20;

std::atomic<int64_t> g_submitted{0};
std::atomic<int64_t> g_executed{0};

// How often the device looks at words for which commands wait: nothing tells it that the host has stored one.
constexpr auto kLookAtWords = std::chrono::microseconds(50);

// The words for which commands wait that are not complete, each with their number. Under the graph's mutex.
std::map<const void*, int>& words() {
    static std::map<const void*, int>& all = *new std::map<const void*, int>;
    return all;
}

bool ready(const Command& command) {
    if (break_now(Break::kWaits)) return true;
    if (command.word != nullptr && __atomic_load_n(command.word, __ATOMIC_SEQ_CST) < command.least) return false;
    return std::all_of(command.waits.begin(), command.waits.end(), [](const auto* it) { return it->signalled; });
}

void use(const Command& command, int change) {
    for (_ze_event_handle_t* event : command.waits) event->used_by += change;
    for (_ze_event_handle_t* event : {command.signal, command.reset})
        if (event != nullptr) event->used_by += change;
    if (command.word != nullptr && (words()[command.word] += change) == 0) words().erase(command.word);
}

void delay_randomly() {
    if (g_settings.delay_us <= 0) return;
    const auto time = std::chrono::microseconds(random_below(static_cast<uint64_t>(g_settings.delay_us) + 1));
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) sched_yield();
}

void note_complete(const Command& command) {
    if (command.reset != nullptr) command.reset->signalled = false;
    if (command.signal != nullptr) command.signal->signalled = true;
    if (command.fence != nullptr) command.fence->signalled = true;
}

}  // namespace

std::mutex& graph_mutex() {
    static std::mutex& mutex = *new std::mutex;  // never destroyed: the devices' threads outlive main
    return mutex;
}

std::condition_variable& changed() {
    static std::condition_variable& it = *new std::condition_variable;
    return it;
}

bool waits_for_word_in(const void* memory) { return words().contains(memory); }

bool wait_for(std::unique_lock<std::mutex>& lock, uint64_t timeout_ns, const std::function<bool()>& condition) {
    if (timeout_ns == UINT64_MAX) {
        changed().wait(lock, condition);
        return true;
    }
    return changed().wait_for(lock, std::chrono::nanoseconds(std::min<uint64_t>(timeout_ns, 1'000'000'000'000)),
                              condition);
}

Device& device_at(int index) {
    static Device* const devices[] = {new Device(ZE_DEVICE_TYPE_GPU), new Device(ZE_DEVICE_TYPE_VPU)};
    return *devices[index];
}

void Stream::submit(std::vector<Command> commands) {
    g_submitted.fetch_add(static_cast<int64_t>(commands.size()));
    const std::lock_guard lock(graph_mutex());
    if (g_settings.noop) {
        for (const Command& command : commands) note_complete(command);
        return;
    }
    for (Command& command : commands) {
        use(command, 1);
        commands_.push_back(std::move(command));
    }
    device_.wake();
}

bool Stream::wait_idle(uint64_t timeout_ns) {
    std::unique_lock lock(graph_mutex());
    return wait_for(lock, timeout_ns, [this] { return commands_.empty() && !running_; });
}

bool Stream::idle() {
    const std::lock_guard lock(graph_mutex());
    return commands_.empty() && !running_;
}

// Returns the places of the commands that may start now.
std::vector<size_t> Stream::startable() const {
    std::vector<size_t> which;
    for (size_t i = 0; i < commands_.size(); ++i) {
        const Command& command = commands_[i];
        if (!ready(command) && command.word != nullptr && !in_order_) continue;
        if (!ready(command) || (command.barrier && i != 0)) break;
        which.push_back(i);
        if (command.barrier || (in_order_ && !break_now(Break::kOrder))) break;
    }
    return which;
}

bool Stream::take(Command& command) {
    const std::vector<size_t> may_start = startable();
    if (may_start.empty()) return false;
    const size_t which = may_start[g_settings.seed != 0 || in_order_ ? random_below(may_start.size()) : 0];
    command = std::move(commands_[which]);
    commands_.erase(commands_.begin() + static_cast<std::ptrdiff_t>(which));
    return true;
}

void Device::add(Stream* stream) {
    const std::lock_guard lock(graph_mutex());
    streams_.push_back(stream);
    if (started_) return;
    started_ = true;
    std::thread([this] { loop(); }).detach();
}

void Device::remove(Stream* stream) {
    std::unique_lock lock(graph_mutex());
    changed().wait(lock, [&] { return !stream->running_; });
    std::erase(streams_, stream);
}

void Device::wake() { changed().notify_all(); }

// Runs a command of the next stream that has one. Graph mutex held, except while the command runs.
bool Device::run_one() {
    for (size_t i = 0; i < streams_.size(); ++i) {
        Stream* stream = streams_[next_++ % streams_.size()];
        Command command;
        if (!stream->take(command)) continue;
        stream->running_ = true;
        const bool early = break_now(Break::kEarly, kEarlyOnceIn);
        if (early) note_complete(command);
        if (early) changed().notify_all();
        graph_mutex().unlock();
        if (early) std::this_thread::sleep_for(kEarlyBy);
        if (command.action) {
            const Turn turn;
            delay_randomly();
            command.action();
        }
        graph_mutex().lock();
        if (!early) note_complete(command);
        use(command, -1);
        stream->running_ = false;
        g_executed.fetch_add(1);
        changed().notify_all();
        return true;
    }
    return false;
}

void Device::loop() {
    std::unique_lock lock(graph_mutex());
    for (;;) {
        if (run_one()) continue;
        if (words().empty())
            changed().wait(lock);
        else
            changed().wait_for(lock, kLookAtWords);
    }
}

}  // namespace fake

extern "C" int64_t fake_ze_submitted(void) { return fake::g_submitted.load(); }
extern "C" int64_t fake_ze_executed(void) { return fake::g_executed.load(); }
