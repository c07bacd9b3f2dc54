#include "platform/opencl/guards/hal/guard.h"

#include <cerrno>
#include <new>
#include <utility>

#include "base/log.h"
#include "base/pointer_map.h"
#include "platform/opencl/guards/hal/guard_flight.h"
#include "platform/opencl/guards/hal/guard_watch.h"

namespace xsched::opencl {
namespace {

constinit base::PointerMap<Guard> g_guards;
std::atomic<bool> g_failed_logged{false};

void complain(const char* what, cl_int code) {
    if (!g_failed_logged.exchange(true))
        XLOG_WARN("opencl error %d from %s of a guarded launch: it may run on after a suspension", code, what);
}

}  // namespace

bool can_guard(const ClApi& api, cl_device_id device) {
    cl_device_type type = 0;
    return api.clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr) == CL_SUCCESS &&
           (type & CL_DEVICE_TYPE_CPU) != 0;
}

Guard* guard_of(cl_command_queue queue) { return queue != nullptr ? g_guards.find(queue) : nullptr; }
void guard_made(cl_command_queue queue, Guard* guard) { g_guards.insert(queue, guard); }
void guard_gone(cl_command_queue queue) { g_guards.erase(queue); }

Guard* Guard::create(const ClApi& api, cl_context context, cl_device_id device, bool profiling) {
    if (api.clRetainContext(context) != CL_SUCCESS) return nullptr;
    auto* guard = new (std::nothrow) Guard(api, context, device, profiling);
    if (guard == nullptr) {
        api.clReleaseContext(context);
        return nullptr;
    }
    if (guard->flag_.make(api, context, 1)) return guard;
    guard->disown();
    return nullptr;
}

Guard::~Guard() {
    while (spare_ != nullptr) delete std::exchange(spare_, spare_->next);
    flag_.destroy();
    if (rest_queue_ != nullptr) api_.clReleaseCommandQueue(rest_queue_);
    api_.clReleaseContext(context_);
}

void Guard::own() { owners_.fetch_add(1, std::memory_order_relaxed); }

void Guard::disown() {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

void Guard::close() {
    {
        base::Lock lock(mutex_);
        if (closed_at_ns_ == 0) closed_at_ns_ = base::now_ns();
        flag_.word(0).store(1, std::memory_order_seq_cst);
        if (flights_ == nullptr) return;
    }
    watch_guard(*this);
}

void Guard::open() {
    for (;;) {
        Flight* flight = nullptr;
        {
            base::Lock lock(mutex_);
            flag_.word(0).store(0, std::memory_order_seq_cst);
            if (closed_at_ns_ != 0) closed_ns_ += base::now_ns() - std::exchange(closed_at_ns_, 0);
            for (flight = flights_; flight != nullptr && !flight->stopped;) flight = flight->next;
            if (flight == nullptr) return;
            flight->stopped = false;
            ++flight->passes;
        }
        run_rest(*flight);
    }
}

// Returns for how long the queue has been deactivated in all up to now. mutex_ held.
int64_t Guard::closed_so_far(int64_t now_ns) const {
    return closed_ns_ + (closed_at_ns_ != 0 ? now_ns - closed_at_ns_ : 0);
}

GuardMemory* Guard::take_words(size_t groups) {
    const size_t wanted = groups + kGuardHeader;
    {
        base::Lock lock(mutex_);
        for (GuardMemory** at = &spare_; *at != nullptr; at = &(*at)->next)
            if ((*at)->words() >= wanted) {
                GuardMemory* found = *at;
                *at = found->next;
                return found;
            }
    }
    auto* made = new (std::nothrow) GuardMemory;
    if (made != nullptr && made->make(api_, context_, wanted)) return made;
    delete made;
    return nullptr;
}

Guard::Flight* Guard::new_flight(const XoclGuarded& what) {
    auto* flight = new (std::nothrow) Flight(*this, what);
    if (flight == nullptr) return nullptr;
    own();
    const size_t groups = flight->most_groups();
    if (groups != 0) flight->words = take_words(groups);
    cl_int code = CL_SUCCESS;
    if (flight->words != nullptr) flight->open = api_.clCreateUserEvent(context_, &code);
    if (flight->open != nullptr) return flight;
    discard(flight);
    return nullptr;
}

// Keeps the object of a launch for ever instead of deleting it. The driver has dropped the launch after an error,
// without calling back (look_for_dropped). If it calls back later, with a pointer to the object, that is still valid.
void Guard::leave_behind(Flight* flight) {
    static std::atomic<Flight*> all{nullptr};
    flight->next = all.load(std::memory_order_relaxed);
    while (!all.compare_exchange_weak(flight->next, flight, std::memory_order_release)) {
    }
}

// Gives back what the launch has. After an error the launch's words may not be 0, so they are not used again.
void Guard::discard(Flight* flight) {
    GuardMemory* words = flight->words;
    if (words != nullptr && flight->status == CL_SUCCESS) {
        for (size_t i = 0; i < kGuardHeader; ++i) words->word(i).store(0, std::memory_order_relaxed);
        base::Lock lock(mutex_);
        words->next = std::exchange(spare_, words);
    } else {
        delete words;
    }
    if (flight->open != nullptr) api_.clReleaseEvent(flight->open);
    if (flight->first != nullptr) api_.clReleaseEvent(flight->first);
    if (flight->times != nullptr) flight->times->disown();
    if (flight->left_behind)
        leave_behind(flight);
    else
        delete flight;
    disown();
}

cl_int Guard::enqueue(Flight& flight, cl_command_queue queue, Groups groups, WaitList waits, cl_event* event) {
    const XoclGuarded& what = flight.what;
    const size_t* local = groups == Groups::kAll ? what.local : flight.rest_local();
    cl_mem words = flight.words->memory();
    cl_mem flag = flag_.memory();
    const cl_uint at = what.first_guard_argument;
    cl_int code = api_.clSetKernelArg(what.kernel, at, sizeof words, &words);
    if (code == CL_SUCCESS) code = api_.clSetKernelArg(what.kernel, at + 1, sizeof flag, &flag);
    if (code == CL_SUCCESS) code = api_.clSetKernelArg(what.kernel, at + 2, sizeof groups, &groups);
    if (code != CL_SUCCESS) return code;
    return api_.clEnqueueNDRangeKernel(queue, what.kernel, what.dimensions, what.offset, what.global, local,
                                       waits.count, waits.events, event);
}

// Enqueues the launch's tail. If there is none, the launch is not stopped: its event is the kernel's own.
void Guard::enqueue_tail(Flight& flight, cl_command_queue queue, cl_event* event) {
    const cl_event both[2] = {flight.first, flight.open};
    const size_t one = 1;
    const cl_int code = api_.clEnqueueNDRangeKernel(queue, flight.what.tail, 1, nullptr, &one, &one, 2, both, event);
    if (code == CL_SUCCESS) return;
    complain("clEnqueueNDRangeKernel", code);
    flight.words->word(kGuardForced).store(1, std::memory_order_seq_cst);
    if (event == nullptr) return;
    *event = flight.first;
    api_.clRetainEvent(flight.first);
}

cl_int Guard::launch(cl_command_queue queue, const XoclGuarded& what, cl_uint count, const cl_event* wait_list,
                     cl_event* event, void** times) {
    Flight* flight = new_flight(what);
    if (flight == nullptr) return CL_OUT_OF_HOST_MEMORY;
    const cl_int code = enqueue(*flight, queue, Groups::kAll, {count, wait_list}, &flight->first);
    if (code != CL_SUCCESS) {
        discard(flight);
        return code;
    }
    enqueue_tail(*flight, queue, event);
    if (profiling_ && api_.clRetainEvent(flight->first) == CL_SUCCESS) {
        flight->times = GuardTimes::create(api_, flight->first);
        if (flight->times == nullptr) api_.clReleaseEvent(flight->first);
    }
    *times = flight->times;
    bool closed = false;
    {
        base::Lock lock(mutex_);
        flight->passes = 2;  // the pass, and this function
        flight->begun_ns = base::now_ns();
        flight->closed_before_ns = closed_so_far(flight->begun_ns);
        flight->next = flights_;
        if (flights_ != nullptr) flights_->before = flight;
        flights_ = flight;
        closed = closed_at_ns_ != 0;
    }
    if (closed) watch_guard(*this);
    follow(*flight, flight->first);
    pass_over(*flight, CL_SUCCESS);
    return CL_SUCCESS;
}

// Asks for a callback at the pass's end. If the driver refuses, the end would not be known: no group is skipped from
// then on, and the words are not used again.
void Guard::follow(Flight& flight, cl_event event) {
    const cl_int code = api_.clSetEventCallback(event, CL_COMPLETE, pass_done, &flight);
    if (code == CL_SUCCESS) return;
    complain("clSetEventCallback", code);
    flight.words->word(kGuardForced).store(1, std::memory_order_seq_cst);
    api_.clSetUserEventStatus(flight.open, CL_COMPLETE);
}

void CL_CALLBACK Guard::pass_done(cl_event event, cl_int status, void* data) {
    const int saved = errno;
    Flight& flight = *static_cast<Flight*>(data);
    if (event != flight.first || !flight.reported.exchange(true)) flight.guard.pass_over(flight, status);
    errno = saved;
}

void Guard::pass_over(Flight& flight, cl_int status) {
    bool rest = false;
    bool stopped = false;
    {
        base::Lock lock(mutex_);
        if (status < 0) flight.status = status;
        if (--flight.passes != 0) return;
        flight.skipping_ns = 0;
        if (flight.status == CL_SUCCESS && flight.skipped()) {
            flight.stopped = closed_at_ns_ != 0 && !flight.mutual;
            rest = !flight.stopped;
            if (rest) ++flight.passes;
            stopped = flight.stopped;
        }
    }
    if (stopped) {
        XLOG_DEBG("a kernel stopped between two work-groups; it goes on when its queue is resumed");
        return;
    }
    if (rest) return run_rest(flight);
    finish(flight);
}

cl_command_queue Guard::rest_queue() {
    {
        base::Lock lock(mutex_);
        if (rest_queue_ != nullptr) return rest_queue_;
    }
    cl_int code = CL_SUCCESS;
    cl_command_queue made =
        api_.clCreateCommandQueue(context_, device_, profiling_ ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    if (made == nullptr) return nullptr;
    cl_command_queue there = nullptr;
    {
        base::Lock lock(mutex_);
        there = rest_queue_;
        if (there == nullptr) rest_queue_ = made;
    }
    if (there == nullptr) return made;
    api_.clReleaseCommandQueue(made);
    return there;
}

// Launches the work-groups that were skipped, in a queue of our own, since the program's queue waits at the tail. The
// caller has counted this pass.
void Guard::run_rest(Flight& flight) {
    flight.words->word(kGuardSkipped).store(0, std::memory_order_seq_cst);
    cl_event event = nullptr;
    cl_command_queue queue = rest_queue();
    const cl_int code = queue == nullptr ? CL_OUT_OF_RESOURCES : enqueue(flight, queue, Groups::kSkipped, {}, &event);
    if (code != CL_SUCCESS) {
        XLOG_ERRO("opencl error %d: the rest of a suspended kernel cannot run; its event fails", code);
        return pass_over(flight, code);
    }
    if (flight.times != nullptr && api_.clRetainEvent(event) == CL_SUCCESS) flight.times->last(event);
    const cl_int followed = api_.clSetEventCallback(event, CL_COMPLETE, pass_done, &flight);
    api_.clFlush(queue);
    if (followed != CL_SUCCESS) complain("clSetEventCallback", followed);
    api_.clReleaseEvent(event);
}

void Guard::finish(Flight& flight) {
    int64_t length = 0;
    {
        base::Lock lock(mutex_);
        if (flight.next != nullptr) flight.next->before = flight.before;
        (flight.before != nullptr ? flight.before->next : flights_) = flight.next;
        const int64_t now = base::now_ns();
        const int64_t closed = closed_so_far(now);
        // The kernel began when it was launched, or when the one before it ended.
        const bool waited = ended_ns_ > flight.begun_ns;
        length = now - (waited ? ended_ns_ : flight.begun_ns) -
                 (closed - (waited ? closed_before_end_ns_ : flight.closed_before_ns));
        ended_ns_ = now;
        closed_before_end_ns_ = closed;
    }
    const cl_int status = flight.status < 0 ? flight.status : CL_COMPLETE;
    const XoclGuarded what = flight.what;
    const bool mutual = flight.mutual;
    api_.clSetUserEventStatus(flight.open, status);
    what.done(what.owner, status == CL_COMPLETE ? length : 0, mutual);
    discard(&flight);
}

}  // namespace xsched::opencl
