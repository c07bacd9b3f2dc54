/* A program as they were written for XSched 1.2: two queues, priorities, commands, suspend and resume. Says what went
 * wrong on standard error (exit status 1), or that nothing did. */
#include <stdio.h>
#include <time.h>

#include "platform.h"
#include "xsched/xsched.h"

enum { kCommands = 20 };

typedef struct {
    int queue;
    uint32_t value;
} Work;

static int g_failures = 0;

static void expect(int condition, const char* what, int line) {
    if (condition) return;
    fprintf(stderr, "line %d: %s\n", line, what);
    ++g_failures;
}
#define EXPECT(condition) expect((condition) ? 1 : 0, #condition, __LINE__)
#define OK(call) EXPECT((call) == kXSchedSuccess)

static XResult launch(HwQueueHandle hwq, void* data) {
    const Work* work = (const Work*)data;
    (void)hwq;
    return platform_write(work->queue, work->value) ? kXSchedSuccess : kXSchedErrorHardware;
}

/* Long enough for work that is wrongly let go; too short does not fail the test. */
static void let_time_pass(void) {
    const struct timespec time = {0, 20 * 1000 * 1000};
    nanosleep(&time, NULL);
}

static void submit(XQueueHandle xq, HwCommandHandle* command, Work* work, int queue, uint32_t value) {
    work->queue = queue;
    work->value = value;
    OK(HwCommandCreateCallback(command, launch, work));
    OK(XQueueSubmit(xq, *command));
}

static void run_commands(const XQueueHandle* xq) {
    static Work work[kQueues][kCommands];
    HwCommandHandle commands[kQueues][kCommands];
    XQueueState state = kQueueStateUnknown;
    int64_t count = 0;
    int queue = 0;
    int i = 0;
    for (i = 0; i < kCommands; ++i)
        for (queue = 0; queue < kQueues; ++queue)
            submit(xq[queue], &commands[queue][i], &work[queue][i], queue, (uint32_t)i + 1);
    for (queue = 0; queue < kQueues; ++queue) {
        for (i = 0; i < kCommands; ++i) OK(XQueueWait(xq[queue], commands[queue][i]));
        EXPECT(platform_word(queue) == kCommands);
        OK(XQueueWaitAll(xq[queue]));
        OK(XQueueQuery(xq[queue], &state));
        EXPECT(state == kQueueStateIdle);
        OK(XQueueProfileHwCommandCount(xq[queue], &count));
        EXPECT(count >= kCommands);
        EXPECT(XQueueSubmit(xq[queue], commands[queue][0]) == kXSchedErrorNotAllowed);
        for (i = 0; i < kCommands; ++i) OK(HwCommandDestroy(commands[queue][i]));
    }
}

static void suspend_and_resume(XQueueHandle xq) {
    static Work work;
    HwCommandHandle command = 0;
    XQueueState state = kQueueStateUnknown;
    OK(XQueueSuspend(xq, kQueueSuspendFlagSyncHwQueue));
    OK(XQueueSuspend(xq, kQueueSuspendFlagNone));
    submit(xq, &command, &work, 0, 100);
    let_time_pass();
    EXPECT(platform_word(0) == kCommands);
    OK(XQueueQuery(xq, &state));
    EXPECT(state == kQueueStateReady);
    OK(XQueueResume(xq, kQueueResumeFlagNone));
    OK(XQueueWait(xq, command));
    EXPECT(platform_word(0) == 100);
    OK(HwCommandDestroy(command));
}

static void drop(XQueueHandle xq) {
    static Work work;
    HwCommandHandle command = 0;
    const int runs = platform_keeps_commands();
    OK(XQueueSuspend(xq, kQueueSuspendFlagNone));
    submit(xq, &command, &work, 0, 200);
    EXPECT(XQueueResume(xq, kQueueResumeFlagDropCommands) == (runs ? kXSchedErrorNotSupported : kXSchedSuccess));
    OK(XQueueWait(xq, command));
    EXPECT(platform_word(0) == (runs ? 200u : 100u));
    OK(HwCommandDestroy(command));
}

static void past_the_queue(HwQueueHandle hwq) {
    static Work work = {0, 300};
    HwCommandHandle command = 0;
    OK(HwCommandCreateCallback(&command, launch, &work));
    OK(HwQueueLaunch(hwq, command));
    EXPECT(HwQueueLaunch(hwq, command) == kXSchedErrorNotAllowed);
    OK(HwQueueSynchronize(hwq));
    EXPECT(platform_word(0) == 300);
    OK(HwCommandDestroy(command));
}

int main(void) {
    HwQueueHandle hwq[kQueues];
    XQueueHandle xq[kQueues];
    XQueueHandle same = 0;
    int i = 0;
    if (!platform_open()) {
        printf("skipped: no device of this platform answers\n");
        return 77;
    }
    EXPECT(every_missing_device() == kXSchedErrorNotSupported);
    for (i = 0; i < kQueues; ++i) {
        OK(platform_wrap(&hwq[i], i));
        EXPECT(platform_wrap(&same, i) == kXSchedErrorNotAllowed);
        EXPECT(XQueueCreate(&xq[i], hwq[i], kPreemptLevelInterrupt, 0) == kXSchedErrorNotSupported);
        OK(XQueueCreate(&xq[i], hwq[i], kPreemptLevelBlock, kQueueCreateFlagNone));
        OK(XQueueGet(&same, hwq[i]));
        EXPECT(same == xq[i]);
        OK(XQueueSetLaunchConfig(xq[i], 4, 8));
        OK(XHintPriority(xq[i], i));
    }
    OK(XHintSetScheduler(kSchedulerLocal, kPolicyHighestPriorityFirst));
    run_commands(xq);
    OK(XHintSetScheduler(kSchedulerAppManaged, kPolicyUnknown));
    suspend_and_resume(xq[0]);
    drop(xq[0]);
    past_the_queue(hwq[0]);
    for (i = 0; i < kQueues; ++i) {
        EXPECT(HwQueueDestroy(hwq[i]) == kXSchedErrorNotAllowed);
        OK(XQueueDestroy(xq[i]));
        EXPECT(XQueueDestroy(xq[i]) == kXSchedErrorNotFound);
        OK(HwQueueDestroy(hwq[i]));
        EXPECT(HwQueueDestroy(hwq[i]) == kXSchedErrorNotFound);
    }
    platform_close();
    if (g_failures == 0) printf("every call did what XSched 1.2 promises\n");
    return g_failures == 0 ? 0 : 1;
}
