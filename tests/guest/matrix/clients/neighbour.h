/* The common part of the programs beside which others are tried: their end at SIGTERM, a clock, and the length of a
 * kernel. */
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

/* How many rounds take about this long, alone. run: a kernel of so many rounds, and its end; `of` is what it needs. */
static unsigned rounds_for(double ms, void (*run)(const void* of, unsigned rounds), const void* of) {
    unsigned rounds = 10000;
    run(of, rounds); /* the first one is compiled */
    for (;;) {
        const double began = now_ms();
        run(of, rounds);
        const double took = now_ms() - began;
        if (took >= ms || rounds > 1u << 30) return (unsigned)(rounds * (ms / took));
        rounds *= 2;
    }
}
