// The program beside which others are tried, on Ascend: as neighbour.c, with fills and copies for kernels.
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "busy_device.h"
#include "neighbour.h"

int main(int argc, char** argv) {
    const bool urgent = argc > 1 && std::strcmp(argv[1], "urgent") == 0;
    (void)&rounds_for;
    (void)&now_ms;
    signal(SIGTERM, end);
    busy::BusyDevice device("");
    const uint32_t steps = device.calibrate(urgent ? 2 : 5);
    for (unsigned long done = 0; !g_ended; ++done) {
        std::printf("%lu\n", done);
        std::fflush(stdout);
        if (!urgent) device.enqueue(steps);
        device.enqueue(steps);
        device.finish();
        if (urgent) usleep(20000);
    }
    return device.state_is_right() ? 0 : 1;
}
