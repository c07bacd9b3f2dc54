// Prints which of the names in a file dlsym finds: one line for each, with the scopes that have it.
//   names FILE
// Linked to the runtime, so that its names are in the global scope.
#include <dlfcn.h>
#include <hip/hip_runtime.h>

#include <fstream>
#include <iostream>
#include <string>

namespace {

// Opens the HIP runtime of the version for which this program was built.
void* runtime() {
    const std::string major = std::to_string(HIP_VERSION_MAJOR);
    return dlopen(("libamdhip64.so." + major).c_str(), RTLD_NOW);
}

bool found(void* scope, const std::string& name) {
    const bool has = dlsym(scope, name.c_str()) != nullptr;
    const char* error = dlerror();
    if ((error != nullptr) == has) std::cout << "dlerror is wrong for ";
    return has;
}

}  // namespace

int main(int, char** words) {
    int version = 0;
    const hipError_t used = hipRuntimeGetVersion(&version);  // so that the program needs the runtime
    void* const opened = runtime();
    std::ifstream names(words[1]);
    for (std::string name; std::getline(names, name);)
        std::cout << name << " default " << found(RTLD_DEFAULT, name) << " next " << found(RTLD_NEXT, name)
                  << " handle " << found(opened, name) << "\n";
    return used == hipSuccess && opened != nullptr ? 0 : 1;
}
