// A program that knows nothing of XSched: task after task, each of 60 kernels of about 1 ms.
//   ./app [TASKS]      default: 20
#include <chrono>
#include <thread>

#include "device.h"

int main(int argc, char** argv) {
    const int tasks = argc > 1 ? atoi(argv[1]) : 20;
    open_device();
    Work work(make_stream());
    for (int i = 0; i < tasks; ++i) {
        printf("Task %d completed in %ld ms\n", i, run_task(work, 60));
        fflush(stdout);
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
}
