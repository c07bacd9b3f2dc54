/* The platform's part for the program of this folder: two queues, and work whose effect can be looked at. One thread. C
 * and C++. */
#ifndef TESTS_INTERFACE_PLATFORM_H
#define TESTS_INTERFACE_PLATFORM_H

#include "xsched/xsched.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { kQueues = 2 };

/* Opens the first device and makes the queues; 0: there is none. */
int platform_open(void);
/* The HAL's function on queue `i`. */
XResult platform_wrap(HwQueueHandle* hwq, int i);
/* Puts `value` into queue `i`'s word once the queue gets there. 0: the driver refused. */
int platform_write(int i, uint32_t value);
/* The word now, past every queue. */
uint32_t platform_word(int i);
/* 1: what is suspended is in the driver's hands and cannot be dropped. */
int platform_keeps_commands(void);
void platform_close(void);

/* Defined in missing_devices.c. */
XResult every_missing_device(void);

#ifdef __cplusplus
}
#endif
#endif
