/* The second name under which programs know xsched/hip/hal.h. */
#ifndef XSCHED_HIP_HAL_HAL_H
#define XSCHED_HIP_HAL_HAL_H

#include "xsched/hip/hal.h"

#endif
