// Each call that tells the program that its work is complete tells XSched as well: a server sees it in the slot,
// without that XSched asks the runtime.
#include <functional>

#include "ipc/slot_work.h"
#include "platform/ascend/shim/program.h"
#include "support/one_server.h"

namespace xsched::test {
namespace {

struct End {
    const char* name;
    // `event` is recorded behind the work.
    std::function<bool(AclStream stream, aclrtEvent event)> is_over;
};

const End kEnds[] = {
    {"aclrtSynchronizeStream", [](AclStream it, aclrtEvent) { return aclrtSynchronizeStream(it) == ACL_SUCCESS; }},
    {"rtStreamSynchronize", [](AclStream it, aclrtEvent) { return rtStreamSynchronize(it) == ACL_SUCCESS; }},
    {"aclrtSynchronizeStreamWithTimeout",
     [](AclStream it, aclrtEvent) { return aclrtSynchronizeStreamWithTimeout(it, 1) == ACL_SUCCESS; }},
    {"aclrtSynchronizeDevice", [](AclStream, aclrtEvent) { return aclrtSynchronizeDevice() == ACL_SUCCESS; }},
    {"rtDeviceSynchronize", [](AclStream, aclrtEvent) { return rtDeviceSynchronize() == ACL_SUCCESS; }},
    {"aclrtStreamQuery",
     [](AclStream it, aclrtEvent) {
         aclrtStreamStatus status{};
         ACL_OK(aclrtStreamQuery(it, &status));
         return status == ACL_STREAM_STATUS_COMPLETE;
     }},
    {"aclrtSynchronizeEvent", [](AclStream, aclrtEvent it) { return aclrtSynchronizeEvent(it) == ACL_SUCCESS; }},
    {"rtEventSynchronize", [](AclStream, aclrtEvent it) { return rtEventSynchronize(it) == ACL_SUCCESS; }},
    {"aclrtSynchronizeEventWithTimeout",
     [](AclStream, aclrtEvent it) { return aclrtSynchronizeEventWithTimeout(it, 1) == ACL_SUCCESS; }},
    {"aclrtQueryEvent",
     [](AclStream, aclrtEvent it) {
         aclrtEventStatus status{};
         ACL_OK(aclrtQueryEvent(it, &status));
         return status == ACL_EVENT_STATUS_COMPLETE;
     }},
    {"aclrtQueryEventStatus",
     [](AclStream, aclrtEvent it) {
         aclrtEventRecordedStatus status{};
         ACL_OK(aclrtQueryEventStatus(it, &status));
         return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
     }},
};

class Ends : public WithOneServer {
protected:
    static bool is_over(AclStream stream) {
        const ipc::QueueSlot& slot = slot_of(stream);
        return ipc::completed_commands(slot) == slot.submitted.load();
    }
};

TEST_F(Ends, AreSeen) {
    Program program;
    const AclStream stream = program.stream();
    aclrtEvent event = nullptr;
    ACL_OK(aclrtCreateEventWithFlag(&event, 0));
    for (const End& end : kEnds) {
        SCOPED_TRACE(end.name);
        constexpr uint32_t kLongUs = 20'000;
        ACL_OK(program.spin(stream, kLongUs));
        ACL_OK(aclrtRecordEvent(event, stream));
        EXPECT_FALSE(is_over(stream));
        EXPECT_TRUE(eventually([&] { return end.is_over(stream, event); }));
        EXPECT_TRUE(is_over(stream));
    }
    ACL_OK(aclrtDestroyEvent(event));
}

TEST_F(Ends, ARunOutOfTimeIsNone) {
    Program program;
    const AclStream stream = program.stream();
    ACL_OK(program.spin(stream, 200'000));
    EXPECT_NE(aclrtSynchronizeStreamWithTimeout(stream, 1), ACL_SUCCESS);
    EXPECT_FALSE(is_over(stream));
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(Ends, AModelsCallThatWaits) {
    Program program;
    ACL_OK(aclmdlExecute(5, nullptr, program.words()));
    EXPECT_EQ(program.word(), appended({5}));
    EXPECT_TRUE(is_idle(xqueue_of(nullptr)));
}

}  // namespace
}  // namespace xsched::test
