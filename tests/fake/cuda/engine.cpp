#include "fake/cuda/engine.h"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "fake/cuda/fake_cuda.h"
#include "fake/cuda/faults.h"
#include "fake/cuda/live.h"
#include "fake/cuda/memory.h"

namespace fake {
namespace {

std::atomic<long> g_blocked{0};
std::atomic<long> g_kernels{0};

// The time for which work is put off behind a wait that the break mode "early" leaves out: long enough for a busy
// machine's checker.
constexpr int64_t kEarlyByNs = 2'000'000;
// One in so many waits is left out. Judgement: a short run has dozens of them, also if it waits seldom.
constexpr uint64_t kEarlyOnceIn = 8;
std::atomic<int64_t> g_put_off_until_ns{0};

void delay_randomly() {
    const int64_t most = g_settings.delay_us.load(std::memory_order_relaxed);
    int64_t end = g_put_off_until_ns.load(std::memory_order_relaxed);
    if (most <= 0 && end == 0) return;
    if (most > 0)
        end = std::max(end, clock_ns() + static_cast<int64_t>(random_below(static_cast<uint64_t>(most) * 1000 + 1)));
    for (int64_t now = clock_ns(); now < end; now = clock_ns()) pass_moment(end - now);
}

void pause_polling(unsigned rounds) {
    if (rounds < 20) {
        sched_yield();
        return;
    }
    const timespec pause{0, 20'000};
    nanosleep(&pause, nullptr);
}

bool all_complete(std::vector<Place>& places) {
    while (!places.empty() && places.back().complete()) places.pop_back();
    return places.empty() || break_now(Break::kWaits);
}

// Makes a command of the legacy stream follow those of the context's blocking streams, and the reverse. Context's mutex
// held.
void follow_implicitly(Stream& stream, Command& command) {
    if (!stream.blocking) return;
    Context& context = *stream.context;
    const auto follow = [&](Stream& other) {
        if (!other.idle()) command.after.push_back(end_of(other));
    };
    if (!stream.legacy) return follow(*context.legacy);
    for (Stream* other : context.streams)
        if (other->blocking && !other->legacy) follow(*other);
}

// Makes a command follow those that were submitted before it to streams with the same hardware queue. `number`: the
// command's. Context's mutex held.
void follow_hardware(Stream& stream, Command& command, uint64_t number) {
    if (stream.hardware == nullptr) return;
    Context& context = *stream.context;
    if (stream.idle()) stream.hardware = context.hardware.move(stream.hardware);
    HardwareQueue* queue = command.cooperative ? context.hardware.cooperative(stream.device->ordinal) : stream.hardware;
    const Place last{queue->last_stream, queue->last_number};
    if (last.stream != &stream && !last.complete()) command.after.push_back(last);
    queue->last_stream = &stream;
    queue->last_number = number + 1;
    queue->put_in();
    command.hardware = queue;
}

void take_packet(Command& command) {
    if (command.hardware != nullptr && !std::exchange(command.taken, true)) command.hardware->taken_out();
}

// Returns whether the device sees that the word has its value. It need not see a word that the host stored after the
// wait began.
bool sees_word(Command& command) {
    const long writes = device_writes();
    return !g_settings.blind_waits || std::exchange(command.writes, writes) != writes;
}

}  // namespace

bool Place::complete() const { return stream == nullptr || stream->completed.load() >= number; }

thread_local Device* t_device = nullptr;

void note_kernel() { g_kernels.fetch_add(1, std::memory_order_relaxed); }

Device* device_at(int ordinal) {
    static Device* const devices[kMostDevices] = {new Device(0), new Device(1)};  // never destroyed: they outlive main
    return ordinal >= 0 && ordinal < g_settings.devices ? devices[ordinal] : nullptr;
}

Stream* Device::new_stream(Context& context, bool blocking, int priority) {
    static std::atomic<uint64_t> ids{1};
    const std::lock_guard lock(mutex_);
    if (!started_) {
        started_ = true;
        std::thread([this] { loop(); }).detach();
    }
    Stream* stream = nullptr;
    if (!spare_.empty()) {
        stream = spare_.back();
        spare_.pop_back();
    } else {
        stream = new Stream;
        stream->device = this;
    }
    stream->context = &context;
    stream->blocking = blocking;
    stream->legacy = false;
    stream->priority = priority;
    stream->id = ids.fetch_add(1);
    stream->hardware = context.hardware.take(ordinal, priority);
    stream->of_errands = caller() == Caller::kErrands;
    stream->to_body = &stream->body;
    stream->alive = true;
    added_.push_back(stream);
    count_live("stream", 1);
    return stream;
}

void Device::wake() {
    work_.fetch_add(1);
    if (!asleep_.load()) return;
    const std::lock_guard lock(mutex_);
    work_added_.notify_one();
}

void Device::refresh() {
    const std::lock_guard lock(mutex_);
    streams_.insert(streams_.end(), added_.begin(), added_.end());
    added_.clear();
}

void Device::sleep(uint64_t seen) {
    std::unique_lock lock(mutex_);
    asleep_ = true;
    work_added_.wait(lock, [&] { return work_.load() != seen; });
    asleep_ = false;
}

void Device::retire(size_t at) {
    Stream* stream = streams_[at];
    streams_[at] = streams_.back();
    streams_.pop_back();
    const std::lock_guard lock(mutex_);
    spare_.push_back(stream);
    count_live("stream", -1);
}

void Device::run_others() {
    const Channels* const standing = t_running;
    refresh();
    for (size_t i = 0; i < streams_.size(); ++i)
        if (!streams_[i]->running) step(*streams_[i]);
    t_running = standing;
}

void Device::loop() {
    t_device = this;
    prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
    for (unsigned rounds = 0;;) {
        const uint64_t seen = work_.load();
        refresh();
        bool ran = false, waiting = false;
        const size_t start = streams_.empty() ? 0 : random_below(streams_.size());
        for (size_t i = 0; i < streams_.size(); ++i) {
            const size_t at = (start + i) % streams_.size();
            Stream& stream = *streams_[at];
            Step last = Step::kRan;
            for (uint64_t burst = 1 + random_below(8); burst > 0 && last == Step::kRan; --burst) {
                last = step(stream);
                ran = ran || last == Step::kRan;
            }
            waiting = waiting || last == Step::kWaiting;
            if (!stream.alive.load() && stream.idle()) {
                retire(at);
                ran = true;  // another stream now has its place, and perhaps not had its turn
            }
        }
        rounds = ran ? 0 : rounds + 1;
        if (ran) continue;
        if (waiting)
            pause_polling(rounds);
        else if (work_.load() == seen)
            sleep(seen);
    }
}

bool Device::may_run(const Stream& stream, const Command& command) const {
    return stream.context->channels.may_run() && (command.hardware == nullptr || command.hardware->channels.may_run());
}

Device::Step Device::step(Stream& stream) {
    if (stream.running) return Step::kWaiting;
    const uint64_t number = stream.completed.load(std::memory_order_relaxed);
    const uint64_t end = stream.submitted.load(std::memory_order_acquire);
    if (number == end) return Step::kEmpty;
    Command& command = stream.ring[number % kMostQueued];
    if (is_busy_elsewhere() || !may_run(stream, command) || !all_complete(command.after)) return Step::kWaiting;
    if (command.shared != nullptr && !command.shared->complete(command.shared_number)) return Step::kWaiting;
    if (packets_are_taken_early()) take_packet(command);
    if (Command& next = stream.ring[(number + 1) % kMostQueued];
        number + 1 < end && command.kind == Kind::kAction && next.kind == Kind::kAction && break_now(Break::kOrder))
        std::swap(command, next);
    if (command.kind == Kind::kWaitValue &&
        !wait_is_over(command, sees_word(command) && word_compares(command, *stream.context)))
        return Step::kWaiting;
    if (command.kind == Kind::kHostFunction) {
        if (!stream.handed_over) {
            stream.handed_over = true;
            stream.host_done = false;
            host_thread_.run(&stream);
        }
        if (!stream.host_done.load()) return Step::kWaiting;
        stream.handed_over = false;
    } else if (command.action) {
        stream.running = true;
        delay_randomly();
        t_running = command.hardware != nullptr && command.hardware->channels.disabled != nullptr
                        ? &command.hardware->channels
                        : &stream.context->channels;
        command.action();
        t_running = nullptr;
        stream.running = false;
    }
    take_packet(command);
    command = Command{};
    stream.completed.store(number + 1);
    if (waiters_.load() != 0) {
        const std::lock_guard lock(mutex_);
        progress_made_.notify_all();
    }
    return Step::kRan;
}

void HostThread::run(Stream* stream) {
    const std::lock_guard lock(mutex_);
    if (!started_) {
        started_ = true;
        std::thread([this] { loop(); }).detach();
    }
    streams_.push_back(stream);
    wake_.notify_one();
}

void HostThread::loop() {
    t_in_host_function = true;
    for (;;) {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return !streams_.empty(); });
        Stream* stream = streams_.front();
        streams_.pop_front();
        lock.unlock();
        delay_randomly();
        stream->ring[stream->completed.load() % kMostQueued].action();
        stream->host_done = true;
    }
}

// Context's mutex held.
static Place put(Stream& stream, Command command) {
    const uint64_t number = stream.submitted.load(std::memory_order_relaxed);
    const auto room = [&] { return number - stream.completed.load() < g_settings.queue.load(); };
    if (!room()) {
        g_blocked.fetch_add(1);
        stream.device->wait_until(room);
    }
    follow_hardware(stream, command, number);
    stream.ring[number % kMostQueued] = std::move(command);
    stream.submitted.store(number + 1);
    stream.device->wake();
    return {&stream, number + 1};
}

Place enqueue(Stream& stream, Command command) {
    if (noop()) {
        if (command.kind == Kind::kHostFunction) command.action();
        return end_of(stream);
    }
    const auto in_use = lock_stream(stream);
    const std::lock_guard lock(stream.context->mutex);
    follow_implicitly(stream, command);
    return put(stream, std::move(command));
}

Place enqueue_inside(Stream& stream, Stream& inner, Command command) {
    const auto in_use = lock_stream(stream);
    const std::lock_guard lock(stream.context->mutex);
    follow_implicitly(stream, command);
    if (!stream.idle()) command.after.push_back(end_of(stream));
    Command end;
    end.after.push_back(put(inner, std::move(command)));
    return put(stream, std::move(end));
}

void wait_for(const Place& place) {
    if (place.complete()) return;
    if (break_now(Break::kEarly, kEarlyOnceIn))
        g_put_off_until_ns = clock_ns() + kEarlyByNs;
    else
        wait_for_all({place});
}

void wait_for_all(const std::vector<Place>& places) {
    for (const Place& it : places)
        if (!it.complete()) it.stream->device->wait_until([&] { return it.complete(); });
}

std::vector<Place> ends_of(Context& context) {
    std::vector<Place> ends;
    const std::lock_guard lock(context.mutex);
    for (Stream* it : context.streams)
        if (!it->idle()) ends.push_back(end_of(*it));
    for (const Place& it : context.destroyed)
        if (!it.complete()) ends.push_back(it);
    return ends;
}

}  // namespace fake

extern "C" {
long fake_cuda_blocked_in_driver() { return fake::g_blocked.load(); }
long fake_cuda_kernels() { return fake::g_kernels.load(); }
}
