// The common part of the roles.
#pragma once

#include <cstdint>
#include <cstdio>

#include "device.h"

namespace neighbours {

constexpr size_t kBurstWords = size_t{256} * 1024;  // one kernel's, which fill a large device once

void say_ready();
bool input_open();
FILE* opened(const char* path);
void sleep_until(int64_t ns);
uint32_t pattern(uint64_t index, uint32_t seed);

// Writes a row: one piece of a busy program's work is complete, with so many bytes or kernels.
void note(FILE* rows, size_t amount);

// From the begin of a burst to that of the next, or to the end of a longer one: at random between the two.
struct Period {
    double least_ms;
    double most_ms;
};

// The roles: each returns the exit status.
int urgent(const char* role, const char* path, long bursts, const Period& period, uint32_t steps);
bool is_urgent(const char* role);
int copier(const char* path, size_t bytes, unsigned depth, const char* ways, const char* memory);
int load(const char* path, size_t bytes, size_t tensor);
int queues(const char* path, unsigned streams, unsigned depth, uint32_t steps);
int graphs(const char* path, unsigned kernels, uint32_t steps);
int rounds(const char* path, const char* kind, unsigned contexts, unsigned streams, uint32_t steps);
int memory(const char* path, size_t bytes, uint32_t steps);

}  // namespace neighbours
