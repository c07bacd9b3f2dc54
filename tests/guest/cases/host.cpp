// A host that opens a plugin, has it use a device, and closes it, many times. Nothing may pile up.
//   host local|deep PLUGIN
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

constexpr int kRounds = 10;
constexpr int kSettled = 4;        // after so many rounds, what is made once is there
constexpr long kMappingsMore = 8;  // the heaps of threads come and go

long entries(const char* folder) {
    long count = 0;
    for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator(folder)) ++count;
    return count;
}

long mappings() {
    std::ifstream file("/proc/self/maps");
    long count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
}

struct Size {
    long threads = entries("/proc/self/task");
    long descriptors = entries("/proc/self/fd");
    long maps = mappings();
};

unsigned one_round(const char* path, int flags) {
    void* plugin = dlopen(path, RTLD_NOW | flags);
    if (plugin == nullptr) {
        std::printf("%s\n", dlerror());
        return 0;
    }
    const unsigned result = reinterpret_cast<unsigned (*)()>(dlsym(plugin, "plugin_result"))();
    dlclose(plugin);
    return result;
}

void say_growth(const Size& before, const Size& after) {
    std::printf("threads %+ld, descriptors %+ld, mappings %s\n", after.threads - before.threads,
                after.descriptors - before.descriptors,
                after.maps - before.maps > kMappingsMore ? "more" : "as before");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const int flags = std::strcmp(argv[1], "deep") == 0 ? RTLD_LOCAL | RTLD_DEEPBIND : RTLD_LOCAL;
    Size settled;
    for (int round = 0; round < kRounds; ++round) {
        std::printf("%u\n", one_round(argv[2], flags));
        if (round == kSettled) settled = Size();
    }
    say_growth(settled, Size());
}
