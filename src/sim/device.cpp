#include "sim/device.h"

#include <algorithm>
#include <utility>

namespace xsched::sim {

Context& Device::add_context(uint32_t process) {
    contexts_.push_back(std::make_unique<Context>());
    contexts_.back()->process = process;
    contexts_.back()->timeslice_ns = costs_.timeslice_us;
    return *contexts_.back();
}

bool Device::wants(const Context& context, int64_t now_ns) const {
    if (context.off == Off::kTakenOff || (context.off == Off::kKeptOff && &context != resident_)) return false;
    if (context.held(now_ns)) return true;
    return std::any_of(context.streams.begin(), context.streams.end(),
                       [now_ns](const Stream* stream) { return stream->can_start(now_ns); });
}

// Returns the next context that wants the device, in turn, beginning behind the one that has it.
Context* Device::other_that_wants(int64_t now_ns) {
    const size_t count = contexts_.size();
    for (size_t i = 1; i <= count; ++i) {
        Context& context = *contexts_[(resident_at_ + i) % count];
        if (&context != resident_ && wants(context, now_ns)) return &context;
    }
    return nullptr;
}

// Returns when a context becomes ready by itself; 0: none does.
int64_t Device::soonest_ready_ns(int64_t now_ns) const {
    int64_t soonest_ns = 0;
    for (const auto& context : contexts_) {
        for (const int64_t ns : {context->held_from_ns, context->held_until_ns})
            if (ns > now_ns && (soonest_ns == 0 || ns < soonest_ns)) soonest_ns = ns;
        for (const Stream* stream : context->streams) {
            if (stream->commands.empty()) continue;
            const int64_t ready_ns = stream->commands.front().ready_ns;
            if (ready_ns > now_ns && (soonest_ns == 0 || ready_ns < soonest_ns)) soonest_ns = ready_ns;
        }
    }
    return soonest_ns;
}

// Returns when the present turn ends. Turns follow each other even if no other context wants the device.
int64_t Device::turn_ends_ns(int64_t now_ns) const {
    const int64_t slice_ns = std::max<int64_t>(resident_->timeslice_ns, 1000);
    const int64_t turns = std::max<int64_t>((now_ns - turn_began_ns_ + slice_ns - 1) / slice_ns, 1);
    return turn_began_ns_ + turns * slice_ns;
}

void Device::finish_switch() {
    resident_ = std::exchange(switching_to_, nullptr);
    for (size_t at = 0; at < contexts_.size(); ++at)
        if (contexts_[at].get() == resident_) resident_at_ = at;
    turn_began_ns_ = switch_ends_ns_;
}

void Device::begin_switch(Context& to, int64_t now_ns) {
    switching_to_ = &to;
    switch_ends_ns_ = now_ns + (resident_ != nullptr ? switch_ns() : 0);
    switching_ns_ += switch_ends_ns_ - now_ns;
    ++switches_;
    ++events_;
}

int64_t Device::switch_ns() {
    constexpr int64_t kOneIn = 50;
    int64_t ns = costs_.switch_us;
    if (costs_.switch_spread_us > 0) ns += random_.below(costs_.switch_spread_us + 1);
    if (costs_.slow_switch_us > 0 && random_.below(kOneIn) == 0) ns += random_.below(costs_.slow_switch_us + 1);
    return ns;
}

void Device::look(int64_t now_ns) {
    while (go_on(now_ns)) {
    }
}

// Does one step. Returns false if nothing more happens now; the agenda then has the time of the next step.
bool Device::go_on(int64_t now_ns) {
    if (switching_to_ != nullptr) {
        if (now_ns < switch_ends_ns_) {
            agenda_.set(*this, switch_ends_ns_);
            return false;
        }
        finish_switch();
        return true;
    }
    if (running_ != nullptr && now_ns >= began_ns_ + running_->commands.front().left_ns) {
        complete(now_ns);
        return true;
    }
    Context* const other = other_that_wants(now_ns);
    const bool stays = resident_ != nullptr && wants(*resident_, now_ns);
    const int64_t turn_ends = other != nullptr && stays ? turn_ends_ns(now_ns) : 0;
    if (other != nullptr && (!stays || now_ns >= turn_ends)) {
        stop_command(now_ns);
        begin_switch(*other, now_ns);
        return true;
    }
    if (running_ != nullptr && !stays) stop_command(now_ns);
    if (running_ == nullptr && stays && begin_command(now_ns)) return true;
    int64_t next_ns = soonest_ready_ns(now_ns);
    const auto also = [&next_ns](int64_t at_ns) { next_ns = next_ns == 0 ? at_ns : std::min(next_ns, at_ns); };
    if (running_ != nullptr) also(began_ns_ + running_->commands.front().left_ns);
    if (turn_ends != 0) also(turn_ends);
    next_ns != 0 ? agenda_.set(*this, next_ns) : agenda_.clear(*this);
    return false;
}

// Begins the next command of the context that has the device, from its streams in turn.
bool Device::begin_command(int64_t now_ns) {
    Context& context = *resident_;
    const size_t count = context.streams.size();
    for (size_t i = 0; i < count; ++i) {
        context.turn = context.turn + 1 < count ? context.turn + 1 : 0;
        Stream& stream = *context.streams[context.turn];
        if (!stream.can_start(now_ns)) continue;
        running_ = &stream;
        stream.commands.front().gate = false;  // it has passed
        began_ns_ = now_ns;
        ++events_;
        return true;
    }
    return false;
}

// Stops the command, which later continues from where it was.
void Device::stop_command(int64_t now_ns) {
    if (running_ == nullptr || resident_ == nullptr) return;
    Command& command = running_->commands.front();
    const int64_t ran_ns = now_ns - began_ns_;
    command.left_ns -= ran_ns;
    busy_ns_ += ran_ns;
    resident_->used_ns += ran_ns;
    if (observer_ != nullptr && ran_ns > 0) observer_->on_device(number_, resident_->process, began_ns_, now_ns);
    running_ = nullptr;
}

void Device::complete(int64_t now_ns) {
    Stream& stream = *running_;
    stop_command(now_ns);
    const Command command = stream.commands.front();
    stream.commands.pop();
    ++events_;
    if (!command.hold) stream.queue->completed_on_device(command, now_ns);
}

void Device::set_off(Context& context, Off off, int64_t now_ns) {
    context.off = off;
    look(now_ns);
}

void Device::set_timeslice(Context& context, int64_t ns, int64_t now_ns) {
    context.timeslice_ns = ns;
    look(now_ns);
}

void Device::hold(Context& context, int64_t from_ns, int64_t until_ns, int64_t now_ns) {
    context.held_from_ns = from_ns;
    context.held_until_ns = until_ns;
    look(now_ns);
}

void Device::end_hold(Stream& stream, int64_t end_ns, int64_t now_ns) {
    if (stream.commands.empty() || !stream.commands.back().hold) return;
    Command& command = stream.commands.back();
    const bool runs = running_ == &stream && stream.commands.front().hold;
    if (!runs) {
        command.left_ns = std::min(command.left_ns, end_ns - now_ns + costs_.keep_alive_us);
        command.ready_ns = std::min(command.ready_ns, now_ns);
        return;
    }
    command.left_ns = std::min(command.left_ns, end_ns + costs_.keep_alive_us - began_ns_);
    look(now_ns);
}

}  // namespace xsched::sim
