// Calls all functions of OpenCL with zeros alone, and those of a queue with a queue and zeros. The functions' names are
// on standard input. Prints what each of them returns, or the signal of its fault.
#include <dlfcn.h>

#include <csetjmp>
#include <csignal>
#include <iostream>
#include <string_view>

#include "device.h"

namespace {

using namespace cases;

// More parameters than any function of OpenCL has. The calling conventions let a caller give too many.
using Zeros = void* (*)(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*,
                        void*, void*, void*);

sigjmp_buf g_before;

void on_fault(int number) { siglongjmp(g_before, number); }

bool has(std::string_view name, std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts)
        if (name.find(part) != std::string_view::npos) return true;
    return false;
}

std::string called(const std::string& name, Zeros function, void* first) {
    if (const int number = sigsetjmp(g_before, 1)) return "signal " + std::to_string(number);
    void* const no = nullptr;
    void* found = function(first, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no);
    if (has(name, {"Free"})) return "nothing";  // it returns none
    if (has(name, {"Create", "Alloc", "clEnqueueMap", "Address", "clLink"}))
        return found != nullptr ? "something" : "null";
    return std::to_string(static_cast<cl_int>(reinterpret_cast<intptr_t>(found)));
}

// PoCL ends the program in clEnqueueWaitForEvents.
bool takes_a_queue(std::string_view name) {
    if (name == "clEnqueueWaitForEvents") return false;
    return name.starts_with("clEnqueue") || name == "clFlush" || name == "clFinish" ||
           name == "clGetCommandQueueInfo" || name == "clRetainCommandQueue" || name == "clSetCommandQueueProperty";
}

}  // namespace

int main() {
    for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE}) std::signal(number, on_fault);
    void* library = dlopen("libOpenCL.so.1", RTLD_NOW);
    Device device;
    device.open();
    for (std::string name; std::getline(std::cin, name);) {
        void* function = dlsym(RTLD_DEFAULT, name.c_str());  // the shim's, if there is one
        if (library == nullptr || dlsym(library, name.c_str()) == nullptr) continue;  // not of this loader
        const auto zeros = reinterpret_cast<Zeros>(function);
        say(name + " of zeros: " + called(name, zeros, nullptr));
        if (takes_a_queue(name)) say(name + " of a queue: " + called(name, zeros, device.queue));
    }
    device.spin(kShort);
    say(device.result());
}
