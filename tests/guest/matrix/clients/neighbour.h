/* The common part of the programs beside which others are tried: their end at SIGTERM, and a clock. */
#include <signal.h>
#include <time.h>

static volatile sig_atomic_t g_ended = 0;

static void end(int number) {
    (void)number;
    g_ended = 1;
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}
