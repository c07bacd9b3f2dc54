// An ordinary OpenCL program for the tests of several processes, on a half of the first device: it keeps a queue busy
// with kernels while it is told to, and counts those that are done. Each adds one to a word, which is compared.
//
//   cl_program SHARED-FILE
//
// In the environment, CUDA_PROGRAM_DEVICES: which half, 0 or 1 (clCreateSubDevices); else all of the device.
// CL_PROGRAM_AHEAD: "list" or "barrier". The next kernels are always with the driver, and wait for a user event in
// their own wait list or behind a barrier; the program sets it 50 ms later. The file holds a Board (cuda_program.h),
// and the program ends when that says so, or with the test that started it. Exit status: 0, 1 (OpenCL failed), 2
// (cannot start), 3 (a wrong result), 77 (the device has no halves).
#include <CL/cl.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "system/cuda_program.h"

namespace {

using xsched::test::Board;

constexpr int kNoHalves = 77;
constexpr int kBatch = 4;
constexpr useconds_t kAheadUs = 50'000;
constexpr const char* kSource =
    "__kernel void count_up(__global uint* word, uint rounds) {\n"
    "    uint value = *word;\n"
    "    for (uint i = 0; i < rounds; ++i) value = value * 1664525u + 1013904223u;\n"
    "    word[1] = value;\n"
    "    *word += 1;\n"
    "}\n";
constexpr cl_uint kRounds = 200'000;

void check(cl_int code, const char* call) {
    if (code == CL_SUCCESS) return;
    std::fprintf(stderr, "cl_program: %s returned %d\n", call, code);
    std::exit(1);
}

cl_device_id device_to_use() {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
    const char* half = std::getenv("CUDA_PROGRAM_DEVICES");
    if (half == nullptr) return device;
    cl_uint units = 0;
    check(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr), "clGetDeviceInfo");
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY,
                                                   static_cast<cl_device_partition_property>(units / 2), 0};
    cl_device_id parts[64] = {};
    cl_uint count = 0;
    if (units < 2 || clCreateSubDevices(device, halves, 64, parts, &count) != CL_SUCCESS || count < 2)
        std::exit(kNoHalves);
    return parts[std::atoi(half)];
}

class Program {
public:
    Program() {
        cl_int code = CL_SUCCESS;
        cl_device_id device = device_to_use();
        cl_context context = context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
        check(code, "clCreateContext");
        queue_ = clCreateCommandQueue(context, device, 0, &code);
        check(code, "clCreateCommandQueue");
        const char* source = kSource;
        cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &code);
        check(code, "clCreateProgramWithSource");
        check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
        kernel_ = clCreateKernel(program, "count_up", &code);
        check(code, "clCreateKernel");
        cl_uint word[2] = {};
        word_ = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof word, word, &code);
        check(code, "clCreateBuffer");
        check(clSetKernelArg(kernel_, 0, sizeof word_, &word_), "clSetKernelArg");
        check(clSetKernelArg(kernel_, 1, sizeof kRounds, &kRounds), "clSetKernelArg");
    }
    // Returns false after a wrong result.
    bool batch() {
        enqueue(0, nullptr);
        return is_done();
    }
    bool batch_ahead(bool behind_barrier) {
        cl_int code = CL_SUCCESS;
        cl_event now = clCreateUserEvent(context_, &code);
        check(code, "clCreateUserEvent");
        if (behind_barrier) check(clEnqueueBarrierWithWaitList(queue_, 1, &now, nullptr), "clEnqueueBarrier");
        behind_barrier ? enqueue(0, nullptr) : enqueue(1, &now);
        check(clFlush(queue_), "clFlush");
        usleep(kAheadUs);
        check(clSetUserEventStatus(now, CL_COMPLETE), "clSetUserEventStatus");
        clReleaseEvent(now);
        return is_done();
    }

private:
    void enqueue(cl_uint count, const cl_event* list) {
        const size_t one = 1;
        for (int i = 0; i < kBatch; ++i)
            check(clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &one, &one, count, list, nullptr),
                  "clEnqueueNDRangeKernel");
    }
    bool is_done() {
        expected_ += kBatch;
        cl_uint word = 0;
        check(clEnqueueReadBuffer(queue_, word_, CL_TRUE, 0, sizeof word, &word, 0, nullptr, nullptr),
              "clEnqueueReadBuffer");
        return word == expected_;
    }

    cl_context context_ = nullptr;
    cl_command_queue queue_ = nullptr;
    cl_kernel kernel_ = nullptr;
    cl_mem word_ = nullptr;
    cl_uint expected_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int file = open(argv[1], O_RDWR | O_CLOEXEC);
    void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) return 2;
    Board& board = *static_cast<Board*>(memory);
    Program program;
    const char* ahead = std::getenv("CL_PROGRAM_AHEAD");
    const bool behind_barrier = ahead != nullptr && std::strcmp(ahead, "barrier") == 0;
    while (board.order.load() != Board::kEnd) {
        if (board.order.load() == Board::kRest) {
            usleep(1000);
            continue;
        }
        if (!(ahead != nullptr ? program.batch_ahead(behind_barrier) : program.batch()))
            return xsched::test::kWrongResult;
        board.done.fetch_add(kBatch);
    }
    return 0;
}
