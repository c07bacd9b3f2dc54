// Physical memory that the program creates and maps itself counts to its limit until its last handle and its last
// mapping are gone (docs/memory.md#limits-and-guarantees), whether it can move or not.
#include "system/memory_rig.h"

namespace xsched::test {
namespace {

// Each way begins with 40 MiB that the program may have, and ends with all of them free. `tries` prints the codes of
// attempts to create 16 MiB; 2 is a refusal.
constexpr const char* kTries = R"(
kept = []
def tries():
    wanted = Wanted(1, 0, 1, 0, None)
    code = cuda.cuMemCreate(ctypes.byref(made), mib(16), ctypes.byref(wanted), n(0))
    if code == 0:
        kept.append(made.value)
    print("tries", code, flush=True)
def drop():
    check(release(kept.pop()), "release")
)";

struct CountedWay {
    const char* name;
    const char* does;
    const char* codes;  // of the tries, one behind the other
};
const CountedWay kCountedWays[] = {
    {"ReleasedWhileMapped",
     "h = create(32); a = mapped(32, h); check(release(h), 'release'); tries(); gone(a, 32); tries(); drop()", "20"},
    {"MappedTwice",
     "h = create(16); a = mapped(16, h); b = mapped(16, h); tries(); drop(); check(release(h), 'release')\n"
     "gone(a, 16); tries(); tries(); drop(); gone(b, 16); tries(); tries(); drop(); drop()",
     "00200"},
    {"InPartsUnmappedTogether",
     "h = create(32); a = reserve(32); check(map_at(a, 16, h, 16), 'map'); check(map_at(a + (16 << 20), 16, h), "
     "'map')\n"
     "check(release(h), 'release'); tries(); gone(a, 32); tries(); drop()",
     "20"},
    {"Retained",
     "h = create(32); a = mapped(32, h); g = retained(a); check(release(h), 'release'); gone(a, 32); tries()\n"
     "check(release(g), 'release'); tries(); drop()",
     "20"},
    {"ReleasedTooOften",
     "h = create(32); a = mapped(32, h); check(release(h), 'release'); print('twice', release(h)); tries()\n"
     "gone(a, 32); tries(); drop()",
     "20"},
    {"UnmappedWrongly",
     "h = create(32); a = mapped(32, h); check(release(h), 'release'); print('wrong', unmap(a, 30)); tries()\n"
     "gone(a, 32); tries(); drop()",
     "20"},
    {"Imported",  // memory of another process counts there, and this process's own once
     "h = create(32, 1); a = mapped(32, h); file = ctypes.c_int(-1)\n"
     "check(cuda.cuMemExportToShareableHandle(ctypes.byref(file), n(h), 1, n(0)), 'export')\n"
     "check(cuda.cuMemImportFromShareableHandle(ctypes.byref(made), ctypes.c_void_p(file.value), 1), 'import')\n"
     "g = made.value; b = mapped(32, g); tries(); gone(b, 32); check(release(g), 'release'); tries()\n"
     "check(release(h), 'release'); tries(); gone(a, 32); tries(); drop(); os.close(file.value)",
     "2220"},
};

class CudaCountedMemory : public CudaMemory, public testing::WithParamInterface<std::tuple<CountedWay, bool>> {};

TEST_P(CudaCountedMemory, CountsToTheLimitUntilItsLastUseEnds) {
    const auto& [way, evictable] = GetParam();
    Environment environment = this->environment("0", 0, evictable, "holder");
    environment["XSCHED_MEMORY_LIMIT"] = std::to_string(40 << 20);
    environment["BEFORE"] = std::string(kTries) + way.does;
    environment["WHILE"] = "pass";
    environment["AFTER"] = "pass";
    tell("holder");
    Process program({"/usr/bin/python3", "-c", in_cuda(kMaps)}, environment);
    EXPECT_EQ(program.wait(), 0) << program.out() << program.err();
    std::string codes;
    for (size_t at = program.out().find("tries "); at != std::string::npos; at = program.out().find("tries ", at + 1))
        codes += program.out()[at + 6];
    EXPECT_EQ(codes, way.codes) << program.out() << program.err();
    EXPECT_NE(program.out().find("over 0 0"), std::string::npos) << program.out() << program.err();
}

INSTANTIATE_TEST_SUITE_P(Every, CudaCountedMemory, testing::Combine(testing::ValuesIn(kCountedWays), testing::Bool()),
                         [](const auto& it) {
                             return std::string(std::get<0>(it.param).name) +
                                    (std::get<1>(it.param) ? "Movable" : "TheDrivers");
                         });

}  // namespace
}  // namespace xsched::test
