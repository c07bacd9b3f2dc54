#include "order/opencl/tracker.h"

#include <cstdio>
#include <deque>

#include "order/core/report.h"
#include "order/opencl/world.h"

namespace order::opencl {
namespace {

std::atomic<int64_t> g_callbacks_owed{0};

// The argument of an event's callback. It is never freed, so that a second call of the callback is noticed.
struct Watch {
    TrackerPtr tracker;
    cl_int type = CL_COMPLETE;
    std::atomic<int> calls{0};
};

Watch& new_watch() {
    static std::mutex& mutex = *new std::mutex;
    static auto& all = *new std::deque<Watch>;
    const std::lock_guard lock(mutex);
    return all.emplace_back();
}

std::mutex g_graveyard_mutex;
std::vector<TrackerPtr> g_graveyard;

void bury(TrackerPtr tracker) {
    const std::lock_guard lock(g_graveyard_mutex);
    g_graveyard.push_back(std::move(tracker));
}

cl_ulong profile(cl_event event, cl_profiling_info name) {
    cl_ulong value = 0;
    expect_success(clGetEventProfilingInfo(event, name, sizeof value, &value, nullptr), "clGetEventProfilingInfo");
    return value;
}

void CL_CALLBACK on_status(cl_event event, cl_int status, void* data) {
    auto* watch = static_cast<Watch*>(data);
    if (watch->calls.fetch_add(1) != 0) {
        violation("a callback was called more than once");
        return;
    }
    TrackerPtr tracker = std::move(watch->tracker);
    if (event != tracker->event()) violation("%s: callback got another event", tracker->what());
    if (status != watch->type) violation("%s: callback for %d got status %d", tracker->what(), watch->type, status);
    if (tracker->poll() > watch->type) violation("%s: callback came before its status", tracker->what());
    if (watch->type == CL_COMPLETE) tracker->check_complete("callback");
    bury(std::move(tracker));
    g_callbacks_owed.fetch_sub(1);
}

}  // namespace

void History::print() const {
    if (violations() > 3) return;  // what follows a first wrong buffer tells nothing new
    for (size_t i = 0; i < accesses_.size(); ++i) {
        const Access& it = accesses_[(next_ + i) % accesses_.size()];
        if (it.what == nullptr) continue;
        std::fprintf(stderr, "    before it: %s, words %zu to %zu, queue %p, behind the one before by %s\n", it.what,
                     it.first, it.first + it.count - 1, it.queue, it.tie);
    }
}

void KeepForAWhile::operator()(HostMemory* host) const {
    constexpr size_t kKept = 16384;
    static std::mutex& mutex = *new std::mutex;
    static auto& kept = *new std::deque<std::unique_ptr<HostMemory>>;
    const std::lock_guard lock(mutex);
    kept.emplace_back(host);
    if (kept.size() > kKept) kept.pop_front();
}

int64_t callbacks_owed() { return g_callbacks_owed.load(); }

void clear_graveyard() {
    std::vector<TrackerPtr> all;  // ends after the lock
    const std::lock_guard lock(g_graveyard_mutex);
    all.swap(g_graveyard);
}

Tracker::Tracker(cl_event event, std::shared_ptr<Queue> queue, cl_command_type type, const char* what)
    : event_(event), queue_(std::move(queue)), type_(type), what_(what) {}

Tracker::~Tracker() { expect_success(clReleaseEvent(event_), "clReleaseEvent"); }

cl_int Tracker::poll() {
    cl_int seen = last_status_.load();
    cl_int status = CL_QUEUED;
    expect_success(clGetEventInfo(event_, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
                   "clGetEventInfo");
    if (status > seen) violation("%s: event status went from %d back to %d", what_, seen, status);
    if (status < 0) violation("%s: command failed with status %d", what_, status);
    while (status < seen && !last_status_.compare_exchange_weak(seen, status)) {
    }
    return status;
}

void Tracker::check_host(const char* how) const {
    if (!host_ || !host_->is_read) return;
    for (size_t i = host_->first; i < host_->first + host_->count; ++i) {
        if (host_->words[i] == host_->expected[i]) continue;
        violation("%s: word %zu is %08x, must be %08x (complete by %s)", what_, i, host_->words[i], host_->expected[i],
                  how);
        host_->history.print();
        return;
    }
}

void Tracker::check_complete(const char* how) {
    if (poll() > CL_COMPLETE) violation("%s: %s returned before it was complete", what_, how);
    check_host(how);
    std::vector<TrackerPtr> dependencies;
    {
        const std::lock_guard lock(mutex_);
        dependencies = dependencies_;
    }
    for (const TrackerPtr& it : dependencies) {
        if (!it->complete()) violation("%s is complete before %s, which it must follow", what_, it->what());
    }
}

void Tracker::check_profile() {
    if (!queue_->profiling) return;
    const cl_ulong queued = profile(event_, CL_PROFILING_COMMAND_QUEUED);
    const cl_ulong submitted = profile(event_, CL_PROFILING_COMMAND_SUBMIT);
    const cl_ulong started = profile(event_, CL_PROFILING_COMMAND_START);
    const cl_ulong ended = profile(event_, CL_PROFILING_COMMAND_END);
    if (queued > submitted || submitted > started || started > ended) {
        violation("%s: profiling times go backwards: queued %llu submitted %llu started %llu ended %llu", what_,
                  static_cast<unsigned long long>(queued), static_cast<unsigned long long>(submitted),
                  static_cast<unsigned long long>(started), static_cast<unsigned long long>(ended));
    }
    for (const TrackerPtr& it : dependencies_) {
        const Queue& other = *it->queue();
        if (!other.profiling || other.device != queue_->device) continue;
        if (profile(it->event(), CL_PROFILING_COMMAND_END) > started) {
            violation("%s started before %s ended, by their profiling times", what_, it->what());
        }
    }
}

void Tracker::settle() {
    if (!complete()) expect_success(clWaitForEvents(1, &event_), "clWaitForEvents");
    check_complete("wait");
    check_profile();
    cl_command_type type = 0;
    expect_success(clGetEventInfo(event_, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr), "clGetEventInfo");
    if (type != type_) violation("%s: event says command type %#x, must be %#x", what_, type, type_);
    if (host_ && !host_->is_read) host_->words.fill(0xDEADBEEF);
    std::vector<TrackerPtr> done;  // ends after the lock: releasing an event is a call to the driver
    const std::lock_guard lock(mutex_);
    done.swap(dependencies_);
}

void Tracker::watch(cl_int type) {
    Watch& watch = new_watch();
    watch.type = type;
    watch.tracker = shared_from_this();
    g_callbacks_owed.fetch_add(1);
    expect_success(clSetEventCallback(event_, type, &on_status, &watch), "clSetEventCallback");
}

}  // namespace order::opencl
