/* Which libraries a program finds by name: one line for each. */
#include <dlfcn.h>
#include <stdio.h>

static const char* const kNames[] = {"libcuda.so",     "libcuda.so.1",     "libnvidia-ml.so.1", "libnvrtc.so",
                                     "libnvrtc.so.1",  "libamdhip64.so",   "libamdhip64.so.5",  "libamdhip64.so.6",
                                     "libOpenCL.so.1", "libze_loader.so.1"};

int main(void) {
    for (unsigned i = 0; i < sizeof kNames / sizeof *kNames; ++i)
        printf("%s: %s\n", kNames[i], dlopen(kNames[i], RTLD_LAZY | RTLD_LOCAL) != NULL ? "found" : "not found");
    return 0;
}
