// The kernels of the tests of preempt level 2.
#pragma once

namespace xsched::test {

// Source of the kernel `steps`: its work-group n ends once the word `gate` is above n.
inline constexpr const char* kStepsSource = R"(
__kernel void steps(__global volatile const uint* gate, __global volatile uint* ran) {
    while (gate[0] <= get_group_id(0)) {}
    atomic_inc(&ran[get_global_id(0)]);
}
)";

// The kernel `steps` again, in a program of two source texts and a header.
inline constexpr const char* kStepsHeader = "void take_step(__global volatile uint* ran, uint by);\n";
inline constexpr const char* kStepsLibrary = R"(
#include "steps.h"
void take_step(__global volatile uint* ran, uint by) { atomic_add(&ran[get_global_id(0)], by); }
__kernel void unused(__global uint* x) { x[0] = 1; }
)";
inline constexpr const char* kStepsWithHeader = R"(
#include "steps.h"
__kernel void steps(__global volatile const uint* gate, __global volatile uint* ran) {
    while (gate[0] <= get_group_id(0)) {}
    take_step(ran, STEP);
}
)";

// Kernel `hog` occupies compute units until word 0 is set, and counts its work-groups in word 1. Kernel `meet` counts
// its groups in word 2, where they wait for each other.
inline constexpr const char* kMutualSource = R"(
__kernel void hog(__global volatile uint* words) {
    atomic_inc(&words[1]);
    while (words[0] == 0) {}
}
__kernel void meet(__global volatile uint* words) {
    atomic_inc(&words[2]);
    while (words[2] < 2) {}
}
)";

// Kernels of several shapes. Each work-item writes a number to its own place that tells its position and that it ran
// once.
inline constexpr const char* kShapesSource = R"(
uint at(void) {
    return (get_global_id(0) - get_global_offset(0)) + get_global_size(0) *
           ((get_global_id(1) - get_global_offset(1)) + get_global_size(1) * (get_global_id(2) - get_global_offset(2)));
}
uint work(uint x) {
    for (int i = 0; i < 200; ++i) x = x * 1664525u + 1013904223u;
    return x;
}
__kernel void identify(__global uint* x) {
    uint id = get_global_id(0) + 7 * get_global_id(1) + 11 * get_global_id(2) + 13 * get_local_id(0) +
              17 * get_local_id(1) + 19 * get_local_id(2) + 23 * get_group_id(0) + 29 * get_group_id(1) +
              31 * get_group_id(2) + 37 * get_num_groups(0) + 41 * get_local_size(0) + 43 * get_work_dim();
    x[at()] = x[at()] * 31 + (work(id) | 1);
}
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void reverse(__global uint* x) {
    __local uint shared[32];
    uint l = get_local_id(0);
    shared[l] = work(at());
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 4; ++i) {
        uint other = shared[31 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        shared[l] = shared[l] * 31 + other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    x[at()] = x[at()] * 31 + (shared[l] | 1);
}
__kernel void ragged(__global uint* x) {
    __local uint sum;
    if (get_local_id(0) == 0) sum = work(get_group_id(0)) % 100;
    barrier(CLK_LOCAL_MEM_FENCE);
    x[at()] = x[at()] * 31 + (sum * 2 | 1);
    if (sum > 50) return;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) > 20) return;
    x[at()] += work(sum) & ~1u;
}
)";

}  // namespace xsched::test
