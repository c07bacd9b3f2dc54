#include "kernel.h"

#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "busy_kernel.h"
#include "code_objects.h"
#include "nothing_kernel.h"

namespace busy {
namespace {

// The same kernel as kBusyPtx.
constexpr const char* kBusySource = R"(
extern "C" __global__ void busy(unsigned* state, unsigned steps) {
    unsigned index = blockIdx.x * blockDim.x + threadIdx.x, x = state[index];
    for (; steps != 0; --steps) x = x * 1664525u + 1013904223u;
    state[index] = x;
}
)";
// The same kernel as kNothingPtx.
constexpr const char* kNothingSource = R"(
extern "C" __global__ void nothing(void* first, unsigned second) {}
)";
constexpr const char* kCompilers[] = {"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libhiprtc.so"};

using Program = struct hiprtcProgramTag*;

void* compiler() {
    for (const char* name : kCompilers)
        if (void* library = dlopen(name, RTLD_NOW)) return library;
    return nullptr;
}

// Calls a function of hiprtc, which some versions of the runtime hold themselves.
template <typename... Arguments>
void call(const char* name, Arguments... arguments) {
    static void* const library = compiler();
    void* address = library != nullptr ? dlsym(library, name) : nullptr;
    if (address == nullptr) address = runtime_symbol(name);
    if (address == nullptr)
        throw std::runtime_error(std::string("there is no code for the GPU: the HIP runtime has no ") + name +
                                 ", install ROCm's hiprtc");
    if (const int result = reinterpret_cast<int (*)(Arguments...)>(address)(arguments...); result != 0)
        throw std::runtime_error(std::string(name) + " returns " + std::to_string(result));
}

std::vector<char> compiled(const char* source) {
    Program program = nullptr;
    call<Program*, const char*, const char*, int, const char**, const char**>("hiprtcCreateProgram", &program, source,
                                                                              "bench.hip", 0, nullptr, nullptr);
    call<Program, int, const char**>("hiprtcCompileProgram", program, 0, nullptr);
    size_t bytes = 0;
    call<Program, size_t*>("hiprtcGetCodeSize", program, &bytes);
    std::vector<char> code(bytes);
    call<Program, char*>("hiprtcGetCode", program, code.data());
    call<Program*>("hiprtcDestroyProgram", &program);
    return code;
}

hip::hipError_t load_prebuilt(hip::hipModule_t* module) {
    hip::hipError_t last = hip::hipErrorNotSupported;
    for (const CodeObject& code : code_objects()) {
        last = runtime().hipModuleLoadData(module, code.image);
        if (last == hip::hipSuccess) break;
    }
    return last;
}

std::string no_prebuilt(hip::hipError_t last) {
    std::string processors;
    for (const CodeObject& code : code_objects())
        processors += std::string(processors.empty() ? "" : ", ") + code.processor;
    if (processors.empty()) return "and this build has no code of its own for AMD GPUs";
    return "and the device takes none of this build's own (" + processors + "; error " + std::to_string(last) + ")";
}

// Loads the kernel. Code compiled by hiprtc at run time fits any device; without hiprtc, the code compiled with the
// program is tried.
hip::hipModule_t load_for_device(const char* source) {
    hip::hipModule_t module = nullptr;
    try {
        check(runtime().hipModuleLoadData(&module, compiled(source).data()), "hipModuleLoadData");
    } catch (const std::runtime_error& error) {
        const hip::hipError_t last = load_prebuilt(&module);
        if (last != hip::hipSuccess) throw std::runtime_error(error.what() + (", " + no_prebuilt(last)));
    }
    return module;
}

hip::hipFunction_t load(const char* ptx, const char* source, const char* name) {
    hip::hipModule_t module = nullptr;
    if (runtime().hipModuleLoadData(&module, ptx) != hip::hipSuccess) module = load_for_device(source);
    hip::hipFunction_t kernel = nullptr;
    check(runtime().hipModuleGetFunction(&kernel, module, name), "hipModuleGetFunction");
    return kernel;
}

}  // namespace

hip::hipFunction_t load_busy() { return load(kBusyPtx, kBusySource, "busy"); }
hip::hipFunction_t load_nothing() { return load(kNothingPtx, kNothingSource, "nothing"); }

}  // namespace busy
