// The C functions of hints take what their rows in base/hints.def say, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/clock.h"
#include "base/hints.h"
#include "fake/device/fake_device.h"
#include "ipc/slot_hints.h"
#include "xsched/hint.h"

namespace {

using namespace xsched;
using base::HintId;
using base::HintInfo;

void check_setter(const HintInfo& hint, XResult (*set)(XQueueHandle xq, int64_t value)) {
    SCOPED_TRACE(hint.function);
    fake::FakeDevice device({.through_api = true});
    const auto kept = [&] { return base::get_hint(ipc::load_hints(device.slot()), hint.id); };
    for (const int64_t value : {hint.accepts_least, hint.accepts_most, hint.fallback, hint.most}) {
        const int64_t before_ns = base::now_ns();
        EXPECT_EQ(set(device.handle(), value), kXSchedSuccess);
        EXPECT_GE(kept(), hint.kept(value, before_ns));
        EXPECT_LE(kept(), hint.kept(value, base::now_ns()));
    }
    const int64_t last = kept();
    EXPECT_EQ(set(device.handle(), hint.accepts_least - 1), kXSchedErrorInvalidValue);
    if (hint.accepts_most < INT64_MAX) {
        EXPECT_EQ(set(device.handle(), hint.accepts_most + 1), kXSchedErrorInvalidValue);
    }
    EXPECT_EQ(kept(), last);
    EXPECT_EQ(set(12345, hint.fallback), kXSchedErrorNotFound);
}

TEST(HintApi, EveryFunctionOfOneHintTakesItsRange) {
#define XSCHED_CHECK_kQueue(function, field, type) \
    check_setter(base::hint_info(HintId::field),   \
                 [](XQueueHandle xq, int64_t value) { return function(xq, static_cast<type>(value)); });
#define XSCHED_CHECK_kProcess(function, field, type)
#define XSCHED_CHECK_kJoint(function, field, type)
#define XSCHED_HINT(field, type, kind, least, most, fallback, merge, scope, function, ...) \
    XSCHED_CHECK_##scope(function, field, type)
#include "base/hints.def"
#undef XSCHED_HINT
#undef XSCHED_CHECK_kQueue
#undef XSCHED_CHECK_kProcess
#undef XSCHED_CHECK_kJoint
}

TEST(HintApi, LaxitySetsThree) {
    fake::FakeDevice device({.through_api = true});
    EXPECT_EQ(XHintLaxity(device.handle(), 900, -3, 9), kXSchedSuccess);
    EXPECT_EQ(device.slot().laxity_us, 900);
    EXPECT_EQ(device.slot().lax_priority, -3);
    EXPECT_EQ(device.slot().critical_priority, 9);
    EXPECT_EQ(XHintLaxity(device.handle(), 5, PRIORITY_NO_EXECUTE, PRIORITY_MAX), kXSchedSuccess);
    EXPECT_EQ(device.slot().lax_priority, PRIORITY_MIN) << "read so as well";
    EXPECT_EQ(XHintLaxity(device.handle(), 5, 0, PRIORITY_MAX + 1), kXSchedErrorInvalidValue);
    EXPECT_EQ(device.slot().critical_priority, PRIORITY_MAX);
}

}  // namespace
