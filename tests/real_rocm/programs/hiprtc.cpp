// A program that is linked to hiprtc, as MIOpen's and PyTorch's libraries are. It needs no GPU.
//   hiprtc [FILE]     compiles the tests' kernels for the emulated GPU, into FILE
#include <hip/hiprtc.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace {

// Kernels to compile. The emulator runs its own code for each kernel name (driver/kernels.h), so the bodies here only
// have to compile.
constexpr const char* kSource = R"(
struct Eight { unsigned v[8]; };
extern "C" __global__ void spin_and_count(unsigned long ns, unsigned long* count) { if (ns == 0) *count = 1; }
extern "C" __global__ void append(unsigned* b, unsigned v, unsigned n) { if (n == 0) *b = v; }
extern "C" __global__ void append_wide(unsigned* b, Eight v, unsigned n) { if (n == 0) *b = v.v[0]; }
extern "C" __global__ void mix(unsigned* b, const unsigned* a, unsigned v, unsigned n) { if (n == 0) *b = *a + v; }
extern "C" __global__ void busy(unsigned* b, unsigned n) { if (n == 0) *b = 1; }
extern "C" __global__ void spin(unsigned us) {}
extern "C" __global__ void noop() {}
)";

bool check(hiprtcResult result, const char* call) {
    const char* text = hiprtcGetErrorString(result);
    if (result != HIPRTC_SUCCESS) std::printf("%s: %d (%s)\n", call, result, text != nullptr ? text : "no text");
    return result == HIPRTC_SUCCESS && text != nullptr;
}
#define CHECK(call) \
    if (!check(call, #call)) return 1

int write_to(const char* path, const std::vector<char>& code) {
    std::FILE* file = std::fopen(path, "wb");
    if (file == nullptr) return 2;
    const bool written = std::fwrite(code.data(), 1, code.size(), file) == code.size();
    return std::fclose(file) == 0 && written ? 0 : 2;
}

}  // namespace

int main(int count, char** words) {
    int major = 0, minor = 0;
    CHECK(hiprtcVersion(&major, &minor));
    hiprtcProgram program = nullptr;
    CHECK(hiprtcCreateProgram(&program, kSource, "kernels.hip", 0, nullptr, nullptr));
    const char* options[] = {"--offload-arch=gfx942"};
    CHECK(hiprtcCompileProgram(program, 1, options));
    size_t bytes = 0;
    CHECK(hiprtcGetCodeSize(program, &bytes));
    std::vector<char> code(bytes);
    CHECK(hiprtcGetCode(program, code.data()));
    CHECK(hiprtcDestroyProgram(&program));
    std::printf("hiprtc %d.%d: %zu bytes\n", major, minor, bytes);
    return count > 1 ? write_to(words[1], code) : 0;
}
