// Memory that a program creates and maps itself (cuMemCreate, cuMemMap) makes room as memory of cuMemAlloc does, and
// each call does what it does natively (docs/memory.md#what-moves). The fake driver ends a program that touches memory
// which is not mapped, or writes where it may only read.
#include "system/memory_rig.h"

namespace xsched::test {
namespace {

struct MappedWay {
    const char* name;
    bool moves;
    const char* before;
    const char* after;
    const char* told = "";  // in its output, or its log
    const char* meanwhile = "pass";
};
const MappedWay kMappedWays[] = {
    {"Whole", true, "h = create(64); a = mapped(64, h); put(a, 64, 0x51)",
     "compare(a, 64, 0x51); gone(a, 64); check(release(h), 'release')"},
    {"TwoPartsOnTheHost", true, "h = create(100); a = mapped(100, h); put(a, 100, 0x52)",
     "compare(a, 100, 0x52); gone(a, 100); check(release(h), 'release')"},
    {"ManySmallOnes", true,
     "a = reserve(64); hs = [create(2) for _ in range(32)]\n"
     "for i, h in enumerate(hs): check(map_at(a + (i << 21), 2, h), 'map')\n"
     "check(open_at(a, 64), 'open')\n"
     "for i in range(32): put(a + (i << 21), 2, 100 + i)",
     "for i in range(32): compare(a + (i << 21), 2, 100 + i)\n"
     "gone(a, 64)\n"
     "for h in hs: check(release(h), 'release')"},
    {"AtTwoPlaces", true, "h = create(64); a = mapped(64, h); b = mapped(64, h); put(a, 64, 0x53)",
     "compare(b, 64, 0x53); put(b, 64, 0x54); compare(a, 64, 0x54); gone(a, 64); gone(b, 64); "
     "check(release(h), 'release')"},
    {"InParts", true,
     "h = create(64); a = mapped(64, h); put(a, 64, 0x55); gone(a, 64)\n"
     "a = reserve(34); check(map_at(a, 32, h, 32), 'map'); check(map_at(a + (32 << 20), 2, h, 2), 'map')\n"
     "check(open_at(a, 34), 'open'); put(a, 34, 0x56)",
     "compare(a, 34, 0x56); b = mapped(64, h); compare(b, 2, 0x55); compare(b + (2 << 20), 2, 0x56)\n"
     "compare(b + (4 << 20), 28, 0x55); compare(b + (32 << 20), 32, 0x56)\n"
     "gone(a, 34); gone(b, 64); check(release(h), 'release')"},
    {"Nowhere", true, "h = create(64); a = mapped(64, h); put(a, 64, 0x57); check(unmap(a, 64), 'unmap')",
     "check(map_at(a, 64, h), 'map'); check(open_at(a, 64), 'open'); compare(a, 64, 0x57)\n"
     "gone(a, 64); check(release(h), 'release')"},
    {"ForReadingAlone", true, "h = create(64); a = mapped(64, h); put(a, 64, 0x58); check(open_at(a, 64, 1), 'open')",
     "print('told', asked(a)); compare(a, 64, 0x58); gone(a, 64); check(release(h), 'release')", "told 1"},
    {"Closed", true,
     "h = create(64); a = mapped(64, h); put(a, 64, 0x59); b = reserve(64); check(map_at(b, 64, h), 'map')\n"
     "check(open_at(a, 64, 0), 'close')",
     "print('told', asked(a), asked(b)); check(open_at(a, 64, 3), 'open'); compare(a, 64, 0x59)\n"
     "gone(a, 64); gone(b, 64); check(release(h), 'release')",
     "told 0 0"},
    {"ReleasedWhileMapped", true, "h = create(64); a = mapped(64, h); put(a, 64, 0x5a); check(release(h), 'release')",
     "compare(a, 64, 0x5a); again = retained(a + (5 << 20)); b = mapped(64, again); check(release(again), 'release')\n"
     "gone(a, 64); compare(b, 64, 0x5a); gone(b, 64)"},
    {"WrongHandles", true,
     "h = create(64); a = mapped(64, h); put(a, 64, 0x5b); g = create(2); check(release(g), 'release')\n"
     "b = reserve(2)\n"
     "print('told', release(g), map_at(b, 2, g), map_at(b, 2, 77), map_at(b, 2, h, 64), unmap(b, 2), retained(b), "
     "release(99), free(a, 64), unmap(a, 2), open_at(a, 2))",
     "compare(a, 64, 0x5b); gone(a, 64); check(free(b, 2), 'free'); check(release(h), 'release')",
     "told 1 1 1 1 1 -1 1 1 1 1"},
    {"Retained", true, "h = create(64); a = mapped(64, h); put(a, 64, 0x5c); g = retained(a)",
     "print('told', g == h, release(g), release(g), release(g)); compare(a, 64, 0x5c); gone(a, 64)", "told True 0 0 1"},
    {"Properties", true, "h = create(64, 1); a = mapped(64, h); put(a, 64, 0x5d)",
     "w = Wanted(); print('told', cuda.cuMemGetAllocationPropertiesFromHandle(ctypes.byref(w), n(h)), w.type, "
     "w.handles, w.where, w.device); compare(a, 64, 0x5d); gone(a, 64); check(release(h), 'release')",
     "told 0 1 1 1 0"},
    {"QuestionsWhileAway", true, "h = create(64); a = mapped(64, h); put(a, 64, 0x5e); size = ctypes.c_size_t()",
     "gone(a, 64); check(release(h), 'release')", "",
     "check(cuda.cuPointerGetAttribute(ctypes.byref(made), 11, n(a + 5)), 'attribute')\n"
     "check(cuda.cuMemGetAddressRange_v2(ctypes.byref(made), ctypes.byref(size), n(a + 5)), 'range')\n"
     "check(made.value != a or size.value != 64 << 20, 'its range')\n"
     "check(asked(a) != 3, 'access')\n"
     "check(free(a, 64) != 1, 'free')"},
    {"CallsWhileAway", true, "h = create(64); a = mapped(64, h); b = reserve(64); put(a, 64, 0x5f)",
     "compare(a, 64, 0x5f); gone(a, 64); check(free(b, 64), 'free'); check(release(h), 'release')", "",
     "check(map_at(b, 64, h), 'map'); check(open_at(b, 64), 'open'); check(release(retained(b)), 'release')\n"
     "check(unmap(b, 64), 'unmap')"},
    {"Exported", false,
     "h = create(64, 1); a = mapped(64, h); put(a, 64, 0x60); file = ctypes.c_int(-1)\n"
     "print('told', cuda.cuMemExportToShareableHandle(ctypes.byref(file), n(h), 1, n(0)), file.value >= 0)",
     "os.close(file.value); compare(a, 64, 0x60); gone(a, 64); check(release(h), 'release')",
     "cuMemExportToShareableHandle hands them on"},
    {"OpenedToAnotherDevice", false,
     "h = create(64); a = mapped(64, h); put(a, 64, 0x61); check(open_at(a, 64, 3, 1), 'open')",
     "compare(a, 64, 0x61); gone(a, 64); check(release(h), 'release')", "opened to another device by cuMemSetAccess"},
    {"InATexture", false,
     "h = create(64); a = mapped(64, h); put(a, 64, 0x62); r = (ctypes.c_uint64 * 18)(2, a + 512)\n"
     "check(cuda.cuTexObjectCreate(ctypes.byref(made), r, None, None), 'texture')",
     "compare(a, 64, 0x62); gone(a, 64); check(release(h), 'release')", "cuTexObjectCreate tells others"},
    {"OnTheHost", true,
     "w = Wanted(1, 0, 2, 0, None); b = create(64); a = mapped(64, b); put(a, 64, 0x63)\n"
     "check(cuda.cuMemCreate(ctypes.byref(made), mib(2), ctypes.byref(w), n(0)), 'create'); h = made.value",
     "compare(a, 64, 0x63); gone(a, 64); check(release(h), 'release'); check(release(b), 'release')"},
    {"OfAContextThatEnds", false,
     "other = ctypes.c_void_p(); check(cuda.cuCtxCreate_v2(ctypes.byref(other), 0, 0), 'context')\n"
     "h = create(64); a = mapped(64, h); put(a, 64, 0x64); cuda.cuCtxSetCurrent(context)\n"
     "check(cuda.cuCtxDestroy_v2(other), 'destroy')",
     "compare(a, 64, 0x64); gone(a, 64); check(release(h), 'release')", "their context has gone"},
};

class CudaMappedMemory : public CudaMemory, public testing::WithParamInterface<MappedWay> {
protected:
    Environment environment_of(const MappedWay& way, bool evictable) const {
        Environment environment = this->environment("0", 0, evictable, "holder");
        environment["BEFORE"] = way.before;
        environment["WHILE"] = way.meanwhile;
        environment["AFTER"] = way.after;
        return environment;
    }
    void ends_as_natively(Process& holder, const MappedWay& way, bool evictable) const {
        EXPECT_EQ(holder.wait(), 0) << holder.out() << holder.err();
        EXPECT_NE(holder.out().find("over 0 0 0"), std::string::npos) << holder.out() << holder.err();
        const bool by_program = std::string(way.told).rfind("told", 0) == 0;
        const std::string told = evictable || by_program ? as_named(way.told) : "";
        EXPECT_NE((holder.out() + holder.err()).find(told), std::string::npos) << holder.out() << holder.err();
    }
};

TEST_P(CudaMappedMemory, MakesRoomAndIsAsNatively) {
    const MappedWay& way = GetParam();
    if (on_hip() && std::string(way.name) == "OfAContextThatEnds") GTEST_SKIP() << "a device has one context";
    Process holder({"/usr/bin/python3", "-c", in_cuda(kMaps)}, environment_of(way, true));
    ASSERT_TRUE(says(holder, "ready")) << holder.out() << holder.err();
    for (const char* stop : {"first", "second"}) {
        const auto taker = start(kTaker, "150", 10, false, stop);
        EXPECT_TRUE(says(*taker, way.moves ? "code 0" : "code 2"))
            << taker->out() << taker->err() << holder.err() << server->process().err();
        usleep(50'000);  // its calls come to wait meanwhile
        tell(stop);
        EXPECT_EQ(taker->wait(), 0);
        EXPECT_TRUE(eventually([&] { return program(holder)["memory_on_host"] == 0; })) << holder.err();
    }
    tell("holder");
    ends_as_natively(holder, way, true);
}

TEST_P(CudaMappedMemory, IsTheDriversWithoutPermission) {
    const MappedWay& way = GetParam();
    if (on_hip() && std::string(way.name) == "OfAContextThatEnds") GTEST_SKIP() << "a device has one context";
    tell("holder");
    Process holder({"/usr/bin/python3", "-c", in_cuda(kMaps)}, environment_of(way, false));
    ends_as_natively(holder, way, false);
}

INSTANTIATE_TEST_SUITE_P(Every, CudaMappedMemory, testing::ValuesIn(kMappedWays),
                         [](const auto& it) { return std::string(it.param.name); });

}  // namespace
}  // namespace xsched::test
