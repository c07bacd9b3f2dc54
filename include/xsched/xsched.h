/* The whole platform-independent interface. */
#ifndef XSCHED_XSCHED_H
#define XSCHED_XSCHED_H

#include "xsched/hint.h"
#include "xsched/types.h"
#include "xsched/xqueue.h"

#endif
