// The band of a queue and its workload type, which the kernel and an NPU's driver get for the priority of a program.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "platform/levelzero/shim/npu_band.h"
#include "platform/levelzero/shim/program.h"
#include "xsched/hint.h"

#if __has_include(<drm/ivpu_accel.h>)
#include <drm/ivpu_accel.h>
#endif

namespace xsched::test {
namespace {

using levelzero::band_for;
using levelzero::ivpu::CreateQueue;
using levelzero::ivpu::kCreateQueue;

constexpr uint32_t kDefault = 0, kIdle = 1, kNormal = 2, kFocus = 3, kRealtime = 4;
constexpr uint32_t kAll[] = {kDefault, kIdle, kNormal, kFocus, kRealtime};
constexpr int kTypeDefault = 0, kTypeBackground = 1, kNone = -1;

static_assert(kCreateQueue == 0xc00c644b && levelzero::ivpu::kVersion == 0xc0406400);
#ifdef DRM_IOCTL_IVPU_CMDQ_CREATE
static_assert(kCreateQueue == DRM_IOCTL_IVPU_CMDQ_CREATE);
static_assert(offsetof(CreateQueue, priority) == offsetof(drm_ivpu_cmdq_create, priority));
static_assert(kIdle == DRM_IVPU_JOB_PRIORITY_IDLE && kRealtime == DRM_IVPU_JOB_PRIORITY_REALTIME);
#endif

// Never raised above what the program asked for, and no band that the kernel refuses becomes one that it takes.
static_assert(band_for(kRealtime, -1, true) == kIdle && band_for(kIdle, -1, true) == kIdle);
static_assert(band_for(kNormal, 1, false) == kFocus && band_for(kDefault, 1, false) == kFocus);
static_assert(band_for(kIdle, 1, false) == kIdle && band_for(kRealtime, 1, false) == kRealtime);
static_assert(band_for(kNormal, 1, true) == kIdle, "a program in the background is low, whatever its priority");
static_assert(band_for(5, -1, true) == 5);

// Returns the band that reaches the kernel if a program asks for one.
int band_given(int file, uint32_t wanted) {
    CreateQueue queue{0, wanted, 7};
    errno = 42;
    EXPECT_EQ(ioctl(file, kCreateQueue, &queue), 0);
    EXPECT_EQ(errno, 42);
    EXPECT_NE(queue.cmdq_id, 0u) << "the program does not get its queue";
    EXPECT_EQ(queue.priority, wanted) << "the program's own structure was changed";
    EXPECT_EQ(queue.flags, 7u);
    return fake_ze_last_band();
}

int band_of_queue(ze_command_queue_priority_t priority) {
    const Program program(1);
    const ze_command_queue_handle_t queue = program.queue(priority);
    EXPECT_EQ(zeCommandQueueDestroy(queue), ZE_RESULT_SUCCESS);
    return fake_ze_last_band();
}

TEST(NpuBand, IsTheProgramsOwn) {
    const int npu = fake_ze_drm_file("intel_vpu");
    for (const uint32_t wanted : kAll) EXPECT_EQ(band_given(npu, wanted), static_cast<int>(wanted));
    close(npu);
}

TEST(NpuBand, IsTheLowestInAProgramThatGivesWay) {
    for (const char* driver : {"intel_vpu", "intel_npu"}) {
        const int npu = fake_ze_drm_file(driver);
        for (const uint32_t wanted : kAll) EXPECT_EQ(band_given(npu, wanted), static_cast<int>(kIdle));
        close(npu);
    }
    EXPECT_EQ(band_of_queue(ZE_COMMAND_QUEUE_PRIORITY_NORMAL), static_cast<int>(kIdle));
    EXPECT_EQ(band_of_queue(ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH), static_cast<int>(kIdle));
}

TEST(NpuBand, RisesToFocusInAnUrgentProgram) {
    const int npu = fake_ze_drm_file("intel_vpu");
    EXPECT_EQ(band_given(npu, kDefault), static_cast<int>(kFocus));
    EXPECT_EQ(band_given(npu, kNormal), static_cast<int>(kFocus));
    for (const uint32_t wish : {kIdle, kFocus, kRealtime}) EXPECT_EQ(band_given(npu, wish), static_cast<int>(wish));
    close(npu);
    EXPECT_EQ(band_of_queue(ZE_COMMAND_QUEUE_PRIORITY_NORMAL), static_cast<int>(kFocus));
    EXPECT_EQ(band_of_queue(ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW), static_cast<int>(kIdle));
    EXPECT_EQ(band_of_queue(ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH), static_cast<int>(kRealtime));
}

TEST(NpuBand, WhereTheKernelRefusesItIsTheProgramsOwn) {
    const int npu = fake_ze_drm_file("intel_vpu");
    EXPECT_EQ(band_given(npu, kNormal), static_cast<int>(kNormal));
    close(npu);
}

TEST(NpuBand, StaysTheProgramsInOtherCalls) {
    const int other = fake_ze_drm_file("i915");
    for (const uint32_t wanted : kAll) EXPECT_EQ(band_given(other, wanted), static_cast<int>(wanted));
    close(other);
    const int npu = fake_ze_drm_file("intel_vpu");
    CreateQueue wrong{0, kRealtime + 1, 0};
    EXPECT_EQ(ioctl(npu, kCreateQueue, &wrong), -1);
    EXPECT_EQ(errno, EINVAL);
    CreateQueue argument{0, kNormal, 0};
    for (const unsigned long request : {kCreateQueue + 1, kCreateQueue - 1, 0x40044645ul}) {
        EXPECT_EQ(ioctl(npu, request, &argument), 0);
        EXPECT_EQ(fake_ze_last_argument(), &argument) << "the kernel gets another structure than the program's";
        EXPECT_EQ(argument.priority, kNormal);
    }
    close(npu);
}

using SetType = ze_result_t (*)(ze_command_queue_handle_t, uint32_t);

constexpr const char* kQueueExtension = "ZE_extension_command_queue_npu";

ze_driver_handle_t first_driver() {
    ze_driver_handle_t driver = nullptr;
    uint32_t count = 1;
    EXPECT_EQ(zeDriverGet(&count, &driver), ZE_RESULT_SUCCESS);
    return driver;
}

void** table_of_extension(const char* name = kQueueExtension) {
    void* table = nullptr;
    zeDriverGetExtensionFunctionAddress(first_driver(), name, &table);
    return static_cast<void**>(table);
}

// Asks the driver's extension for the table, as OpenVINO does.
void** table_of_version(uint32_t version) {
    struct Request {
        uint32_t stype = 1;
        const void* next = nullptr;
        const char* name = kQueueExtension;
        uint32_t version;
        void** table;
    };
    void* table = nullptr;
    Request request{.version = version, .table = &table};
    void** const driver_table = table_of_extension("ZE_extension_driver_npu");
    const auto get = reinterpret_cast<ze_result_t (*)(ze_driver_handle_t, Request*)>(driver_table[0]);
    EXPECT_EQ(get(first_driver(), &request), ZE_RESULT_SUCCESS);
    return static_cast<void**>(table);
}

// A queue of an NPU that executes an empty list.
class NpuQueue {
public:
    NpuQueue() : list_(program_.closed(nullptr)), queue(program_.queue()) {}
    NpuQueue(const NpuQueue&) = delete;
    NpuQueue& operator=(const NpuQueue&) = delete;
    ~NpuQueue() {
        EXPECT_EQ(zeCommandListDestroy(list_), ZE_RESULT_SUCCESS);
        EXPECT_EQ(zeCommandQueueDestroy(queue), ZE_RESULT_SUCCESS);
    }
    // Returns the queue's workload type after it has run something.
    int type_after_work() {
        EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, &list_, nullptr), ZE_RESULT_SUCCESS);
        EXPECT_EQ(zeCommandQueueSynchronize(queue, kForever), ZE_RESULT_SUCCESS);
        return fake_ze_last_workload_type();
    }
    void set_priority(Priority priority) const { EXPECT_EQ(XHintPriority(xqueue_of(queue), priority), kXSchedSuccess); }

private:
    Program program_{1};
    ze_command_list_handle_t list_;

public:
    const ze_command_queue_handle_t queue;
};

TEST(NpuWorkload, IsBackgroundInAProgramThatGivesWay) {
    NpuQueue npu;
    EXPECT_EQ(npu.type_after_work(), kTypeBackground);
    const auto set = reinterpret_cast<SetType>(table_of_extension()[0]);
    EXPECT_EQ(set(npu.queue, kTypeDefault), ZE_RESULT_SUCCESS);
    EXPECT_EQ(fake_ze_last_workload_type(), kTypeBackground) << "the program cannot leave the background";
}

TEST(NpuWorkload, FollowsThePriority) {
    NpuQueue npu;
    EXPECT_EQ(npu.type_after_work(), kNone) << "nothing has to be set";
    npu.set_priority(-3);
    EXPECT_EQ(npu.type_after_work(), kTypeBackground);
    npu.set_priority(3);
    EXPECT_EQ(npu.type_after_work(), kTypeDefault);
}

void expect_wish_kept(SetType set) {
    NpuQueue npu;
    EXPECT_EQ(set(npu.queue, kTypeBackground), ZE_RESULT_SUCCESS);
    EXPECT_EQ(fake_ze_last_workload_type(), kTypeBackground);
    npu.type_after_work();
    for (const Priority priority : {-3, 3}) {
        npu.set_priority(priority);
        EXPECT_EQ(npu.type_after_work(), kTypeBackground) << "raised above what the program asked for";
    }
    EXPECT_EQ(set(npu.queue, kTypeDefault), ZE_RESULT_SUCCESS);
    EXPECT_EQ(fake_ze_last_workload_type(), kTypeDefault);
    EXPECT_EQ(set(npu.queue, 2), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    EXPECT_EQ(set(nullptr, kTypeDefault), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

TEST(NpuWorkload, KeepsTheProgramsWish) { expect_wish_kept(reinterpret_cast<SetType>(table_of_extension()[0])); }

TEST(NpuWorkload, KeepsTheWishThatComesByTheDriversExtension) {
    expect_wish_kept(reinterpret_cast<SetType>(table_of_version(0x10000)[0]));
}

TEST(NpuTable, HasTheDriversOtherFunctions) {
    void** const table = table_of_extension();
    ASSERT_NE(table, nullptr);
    EXPECT_NE(table[1], nullptr);
    EXPECT_NE(table[2], nullptr);
}

TEST(NpuTable, OfAnUnknownVersionIsTheDrivers) {
    NpuQueue npu;
    npu.type_after_work();
    npu.set_priority(-3);
    EXPECT_EQ(npu.type_after_work(), kNone) << "the program's own calls are not seen, so nothing may be set";
    const auto set = reinterpret_cast<SetType>(table_of_extension()[0]);
    EXPECT_EQ(set(npu.queue, kTypeDefault), ZE_RESULT_SUCCESS);
    EXPECT_EQ(fake_ze_last_workload_type(), kTypeDefault) << "the program's call does not reach the driver";
}

// The program asks the driver for a table of an old version, which is shorter: the driver's others are not read.
TEST(NpuTable, HasTheLengthThatTheProgramAsksFor) {
    EXPECT_EQ(table_of_version(0x10001)[1], nullptr);
    EXPECT_NE(table_of_version(0x10002)[1], nullptr);
}

TEST(NpuTable, OfAnUnknownDriversExtensionIsTheDrivers) {
    NpuQueue npu;
    npu.type_after_work();
    const auto set = reinterpret_cast<SetType>(table_of_version(0x10000)[0]);
    npu.set_priority(-3);
    EXPECT_EQ(npu.type_after_work(), kNone) << "the program's own calls are not seen, so nothing may be set";
    EXPECT_EQ(set(npu.queue, kTypeDefault), ZE_RESULT_SUCCESS);
    EXPECT_EQ(fake_ze_last_workload_type(), kTypeDefault);
}

TEST(NpuTable, IsMissing) {
    NpuQueue npu;
    npu.type_after_work();
    npu.set_priority(-3);
    EXPECT_EQ(npu.type_after_work(), kNone);
    EXPECT_EQ(table_of_extension(), nullptr);
}

}  // namespace
}  // namespace xsched::test
