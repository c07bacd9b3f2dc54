// Functions of the device interface before version 23, which do nothing. A shim of an older build refuses this library
// with one line (xq_abi_version), but only after the dynamic linker has found all the functions that it names: without
// these the linker would end the program.
#include "queue/device.h"

#pragma GCC visibility push(default)
extern "C" {

bool xq_keep_alive(XqQueue*, XqReturn) { return false; }
void xq_follow_keep_alive(XqQueue*) {}
void xq_end_keep_alive(XqQueue*) {}
void xq_end_held_keep_alive() {}
void xq_frees_memory() {}
void xq_prepare_early(XqQueue*) {}

}  // extern "C"
#pragma GCC visibility pop
