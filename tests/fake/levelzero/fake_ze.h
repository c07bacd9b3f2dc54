// A stand-in for libze_loader.so.1 with two devices behind it: a GPU and an NPU. It executes what it is given, in every
// order that Level Zero allows and no other. Commands of one device run one at a time, on a thread of the device.
//
// Kernels have names instead of code: "affine" (int* numbers, count, multiply, add) and "busy" (microseconds).
//
//   FAKE_ZE_DELAY_US   each command takes up to so long
//   FAKE_ZE_NOOP       each command is complete as soon as it is given, and does nothing, for measurements
//   FAKE_ZE_SEED       of the random choices; 0: oldest first
//   FAKE_ZE_SHARED     a file: processes that name it share one device, by turns of a command each
//   FAKE_ZE_BREAK      order, waits, early: breaks that rule now and then, for tests of the tests
//   FAKE_ZE_NO_EVENTS  event pools are refused
//   FAKE_ZE_NPU_QUEUES  the version of the NPU's extension for command queues, as 2 of 1.2 (0); -1: it has none
//   FAKE_ZE_NPU_DRIVER  the same of the extension that gives tables of extensions (0)
//   FAKE_ZE_NO_BAND  the kernel refuses bands other than NORMAL and REALTIME
//   FAKE_ZE_NO_PRIORITY  queues of another priority than normal are refused
//   FAKE_ZE_WORDS    how a list waits for a word in memory: works (the default), missing, refused, or copied: the
//   device
//                    waits for a copy of the word, and sees no store
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>

// Functions and values that are newer than Debian 12's headers.
extern "C" {
// As zexCommandListAppendWaitOnMemory. Takes handles that zelLoaderTranslateHandle has returned.
struct fake_ze_wait_t {
    uint32_t action;
    uint32_t scope;
};
ze_result_t zeCommandListHostSynchronize(ze_command_list_handle_t list, uint64_t timeout);
ze_result_t zeCommandListImmediateAppendCommandListsExp(ze_command_list_handle_t list, uint32_t count,
                                                        ze_command_list_handle_t* lists, ze_event_handle_t signal,
                                                        uint32_t waits, ze_event_handle_t* wait_list);
ze_result_t zeCommandListBeginGraphCaptureExt(ze_command_list_handle_t list, const void* next);
ze_result_t zeCommandListIsGraphCaptureEnabledExt(ze_command_list_handle_t list);

// How often the program, or a shim, broke one of the driver's rules; each is printed.
int64_t fake_ze_misuses(void);
// Events, lists, pools and queues that are not destroyed.
int64_t fake_ze_alive(void);
// The priority that the last queue or immediate list was created with.
int fake_ze_last_priority(void);
// The workload type that a queue was last given; -1: none since the NPU's newest queue was created.
int fake_ze_last_workload_type(void);

// A file of the kernel's DRM subsystem, of a driver with this name. The NPU's is "intel_vpu".
int fake_ze_drm_file(const char* driver);
// The priority band with which a queue was last created, of any driver's file; -1: none.
int fake_ze_last_band(void);
// The argument of the last other request to one of these files.
void* fake_ze_last_argument(void);
// How many commands the device has got since the beginning, and how many it has completed.
int64_t fake_ze_submitted(void);
int64_t fake_ze_executed(void);
}
constexpr uint32_t kFakeZeInOrder = 2;  // ZE_COMMAND_QUEUE_FLAG_IN_ORDER
