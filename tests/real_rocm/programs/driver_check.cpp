// The emulated kernel driver by itself, without AMD's libraries: queues of this program's own, whose packets are
// barriers. Preloaded with libkfdemulator.so. It prints what is wrong.
#define __user
#include <fcntl.h>
#include <linux/kfd_ioctl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

int g_wrong = 0;
int g_file = -1;

void expect(bool truth, const char* what) {
    if (truth) return;
    std::printf("wrong: %s (errno %d)\n", what, errno);
    ++g_wrong;
}

int call(unsigned long request, void* argument) {
    errno = 0;
    return ioctl(g_file, request, argument);
}

constexpr uint32_t kGpu = 4242;
constexpr uint32_t kSlots = 64;

// The fields of amd_signal_t and of a barrier packet that this check uses, in the places where AMD's headers have
// them.
struct alignas(64) Signal {
    int64_t kind = 1;
    volatile int64_t value = 1;
    uint64_t mailbox = 0;
    uint32_t event = 0, reserved = 0;
    uint64_t began = 0, ended = 0, rest[2] = {};
};
struct alignas(64) Packet {
    uint16_t header = 1, reserved = 0;
    uint32_t reserved2 = 0;
    uint64_t signals[5] = {}, reserved3 = 0, completion = 0;
};
static_assert(sizeof(Signal) == 64 && sizeof(Packet) == 64);

uint64_t address_of(const volatile void* place) { return reinterpret_cast<uint64_t>(place); }

bool becomes(const volatile int64_t& value, int64_t wanted, int most_ms = 2000) {
    for (int i = 0; i < most_ms && value != wanted; ++i) usleep(1000);
    return value == wanted;
}

class Queue {
public:
    Queue() {
        asked_.ring_base_address = address_of(ring_);
        asked_.ring_size = sizeof ring_;
        asked_.read_pointer_address = address_of(&read_);
        asked_.write_pointer_address = address_of(&write_);
        asked_.gpu_id = kGpu;
        asked_.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
        asked_.queue_percentage = 100;
        asked_.queue_priority = 7;
        expect(call(AMDKFD_IOC_CREATE_QUEUE, &asked_) == 0, "a queue is created");
    }
    ~Queue() { destroy(); }
    int destroy() {
        kfd_ioctl_destroy_queue_args gone{asked_.queue_id, 0};
        return call(AMDKFD_IOC_DESTROY_QUEUE, &gone);
    }
    // Enqueues a barrier packet that waits for `before`, if that is given, and then completes `done`.
    void put(Signal* done, Signal* before = nullptr, uint16_t type = KFD_AND) {
        Packet& packet = ring_[write_++ % kSlots];
        packet.signals[0] = before != nullptr ? address_of(before) : 0;
        packet.completion = address_of(done);
        __atomic_store_n(&packet.header, type, __ATOMIC_RELEASE);
    }
    int update(uint32_t percentage, uint64_t ring = 0) {
        kfd_ioctl_update_queue_args update{ring != 0 ? ring : asked_.ring_base_address, asked_.queue_id,
                                           asked_.ring_size, percentage, 7};
        return call(AMDKFD_IOC_UPDATE_QUEUE, &update);
    }
    uint32_t id() const { return asked_.queue_id; }
    static constexpr uint16_t KFD_AND = 3, KFD_OR = 5;

private:
    alignas(64) Packet ring_[kSlots];
    volatile uint64_t read_ = 0;
    uint64_t write_ = 0;
    kfd_ioctl_create_queue_args asked_{};
};

int debug(uint32_t op, uint32_t* ids = nullptr, uint32_t count = 0, uint32_t pid = 0) {
    kfd_ioctl_dbg_trap_args asked{};
    asked.pid = pid != 0 ? pid : static_cast<uint32_t>(getpid());
    asked.op = op;
    if (op == KFD_IOC_DBG_TRAP_SUSPEND_QUEUES) asked.suspend_queues = {0, address_of(ids), count, 0};
    if (op == KFD_IOC_DBG_TRAP_RESUME_QUEUES) asked.resume_queues = {address_of(ids), count, 0};
    kfd_queue_snapshot_entry entries[8];
    if (op == KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT)
        asked.queue_snapshot = {KFD_EC_MASK(EC_QUEUE_NEW), address_of(entries), 8, sizeof entries[0]};
    return call(AMDKFD_IOC_DBG_TRAP, &asked);
}

void packets_run_in_order() {
    Queue queue;
    Signal first, second, gate;
    queue.put(&first, &gate);
    queue.put(&second);
    usleep(20'000);
    expect(first.value == 1 && second.value == 1,
           "a barrier waits for its signal, and what is behind it for the barrier");
    gate.value = 0;
    expect(becomes(second.value, 0) && first.value == 0, "both run then");
    expect(first.ended >= first.began && first.began != 0, "the times are told");
}

void percentage_0_stops_a_queue() {
    Queue queue;
    Signal done;
    expect(queue.update(0) == 0, "UPDATE_QUEUE");
    queue.put(&done);
    usleep(20'000);
    expect(done.value == 1, "nothing runs with percentage 0");
    expect(queue.update(100) == 0 && becomes(done.value, 0), "it goes on");
    expect(queue.update(101) == -1 && errno == EINVAL, "101 percent are too many");
    expect(queue.update(0, 0x1000) == -1 && errno == EFAULT, "another ring is not taken");
}

void a_debugger_suspends() {
    Queue queue;
    Signal done;
    uint32_t ids[] = {queue.id(), 77};
    expect(debug(KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, ids, 1) == -1 && errno == EINVAL, "only once it is attached");
    expect(debug(KFD_IOC_DBG_TRAP_ENABLE, nullptr, 0, 1) == -1 && errno == EPERM, "no other process");
    expect(debug(KFD_IOC_DBG_TRAP_ENABLE) == 0, "it attaches");
    expect(debug(KFD_IOC_DBG_TRAP_ENABLE) == -1 && errno == EALREADY, "once");
    expect(debug(KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, ids, 1) == -1 && errno == EPERM, "there is no runtime yet");
    kfd_ioctl_runtime_enable_args runtime{0, KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK, 0};
    expect(call(AMDKFD_IOC_RUNTIME_ENABLE, &runtime) == 0, "the runtime tells of itself");
    expect(debug(KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, ids, 2) == 0 && (ids[0] & KFD_DBG_QUEUE_INVALID_MASK) != 0,
           "a new queue is not known to it");
    expect(debug(KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT) == 0, "a snapshot");
    ids[0] = queue.id();
    expect(debug(KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, ids, 2) == 1, "one of the two is there");
    expect(ids[0] == queue.id() && (ids[1] & KFD_DBG_QUEUE_INVALID_MASK) != 0, "the other one is marked");
    queue.put(&done);
    usleep(20'000);
    expect(done.value == 1, "nothing runs");
    expect(debug(KFD_IOC_DBG_TRAP_RESUME_QUEUES, ids, 1) == 1 && becomes(done.value, 0), "it goes on");
    done.value = 1;
    expect(debug(KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, ids, 1) == 1, "once more");
    queue.put(&done);
    expect(debug(KFD_IOC_DBG_TRAP_DISABLE) == 0 && becomes(done.value, 0), "detaching resumes all");
}

void events_wake() {
    kfd_ioctl_create_event_args made{};
    made.event_type = KFD_IOC_EVENT_SIGNAL;
    made.auto_reset = 1;
    expect(call(AMDKFD_IOC_CREATE_EVENT, &made) == 0 && made.event_id != 0, "an event");
    kfd_ioctl_alloc_memory_of_gpu_args page{};
    page.va_addr = 0x7e0000000000;
    page.size = 0x10000;
    page.gpu_id = kGpu;
    page.flags = KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;
    expect(call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &page) == 0, "memory");
    std::memset(reinterpret_cast<void*>(page.va_addr), 1, page.size);
    made.event_page_offset = page.handle;
    expect(call(AMDKFD_IOC_CREATE_EVENT, &made) == 0 && made.event_page_offset != 0, "an event with a page");
    made.event_page_offset = 0;
    expect(call(AMDKFD_IOC_CREATE_EVENT, &made) == 0 && made.event_page_offset != 0,
           "later ones have a mailbox too, or the runtime would poll");
    kfd_event_data data{};
    data.event_id = made.event_id;
    kfd_ioctl_wait_events_args wait{address_of(&data), 1, 0, 10, 0};
    expect(call(AMDKFD_IOC_WAIT_EVENTS, &wait) == 0 && wait.wait_result == KFD_IOC_WAIT_RESULT_TIMEOUT, "nothing came");
    uint64_t mailbox = 0;
    Queue queue;
    Signal done;
    done.mailbox = address_of(&mailbox);
    done.event = made.event_id;
    queue.put(&done);
    wait.timeout = 2000;
    expect(call(AMDKFD_IOC_WAIT_EVENTS, &wait) == 0 && wait.wait_result == KFD_IOC_WAIT_RESULT_COMPLETE,
           "a packet's signal wakes");
    expect(mailbox == made.event_id, "and its mailbox says which");
}

void a_child_is_refused() {
    const pid_t child = fork();
    if (child == 0) {
        kfd_ioctl_get_version_args version{};
        _exit(call(AMDKFD_IOC_GET_VERSION, &version) == -1 && errno == EBADF ? 0 : 1);
    }
    int status = -1;
    expect(waitpid(child, &status, 0) == child && status == 0, "fork's child gets EBADF");
}

// With KFD_EMULATOR_FAULTS=resume=nothing@1,update=5@2.
void faults_come_as_asked() {
    Queue queue;
    uint32_t ids[] = {queue.id()};
    expect(debug(KFD_IOC_DBG_TRAP_ENABLE) == 0 && debug(KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT) == 0, "attached");
    expect(debug(KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, ids, 1) == 1, "suspended");
    expect(debug(KFD_IOC_DBG_TRAP_RESUME_QUEUES, ids, 1) == 0, "the first resume does nothing");
    Signal done;
    queue.put(&done);
    usleep(20'000);
    expect(done.value == 1, "it stays suspended");
    expect(debug(KFD_IOC_DBG_TRAP_RESUME_QUEUES, ids, 1) == 1 && becomes(done.value, 0), "the second one works");
    expect(queue.update(100) == 0, "the first update works");
    expect(queue.update(100) == -1 && errno == EIO, "the second one fails");
    expect(debug(KFD_IOC_DBG_TRAP_DISABLE) == 0, "detached");
}

}  // namespace

int main() {
    g_file = open("/dev/kfd", O_RDWR | O_CLOEXEC);
    expect(g_file >= 0, "/dev/kfd opens");
    kfd_ioctl_get_version_args version{};
    expect(call(AMDKFD_IOC_GET_VERSION, &version) == 0 && version.major_version == 1, "its version");
    packets_run_in_order();
    if (std::getenv("KFD_EMULATOR_FAULTS") == nullptr) {
        percentage_0_stops_a_queue();
        a_debugger_suspends();
    } else {
        kfd_ioctl_runtime_enable_args runtime{0, KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK, 0};
        expect(call(AMDKFD_IOC_RUNTIME_ENABLE, &runtime) == 0, "the runtime tells of itself");
        faults_come_as_asked();
    }
    events_wake();
    a_child_is_refused();
    std::printf("%d wrong\n", g_wrong);
    return g_wrong == 0 ? 0 : 1;
}
