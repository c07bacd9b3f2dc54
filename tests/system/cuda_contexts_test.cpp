// A victim with work in one context or in several, on the fake driver and kernel driver under the real xserver: in
// short timeslices the hardware would have several contexts of it change places all the time.
#include "system/rm_rig.h"

namespace xsched::test {
namespace {

class CudaContexts : public CudaOnRm {
protected:
    // Returns whether `low` gets a short timeslice while `high` wants the device again and again.
    bool gets_short_timeslice(const Environment& more) {
        low = start_on_rm("low", 0, "5000", more);
        high = start_on_rm("high", 10, "100");
        low->work();
        EXPECT_TRUE(eventually([&] { return low->done() > 0; })) << low->process().err();
        const auto low_rm = rm_of(low->pid());
        EXPECT_TRUE(low_rm->there());
        bool is_short = false;
        for (int i = 0; i < kBursts; ++i) {
            high->work();
            EXPECT_TRUE(high->advances()) << high->process().err();
            high->rest();
            const uint64_t before = low->done();
            EXPECT_TRUE(eventually([&] { return low->done() > before; })) << low->process().err();
            is_short |= low_rm->timeslice_us() < fake::rm::kTimesliceUs;
        }
        for (CudaProgram* program : {high.get(), low.get()}) EXPECT_EQ(program->end(), 0) << program->process().err();
        return is_short;
    }

    static constexpr int kBursts = 10;
};

TEST_F(CudaContexts, OneContextHasAShortTimeslice) { EXPECT_TRUE(gets_short_timeslice({})); }

TEST_F(CudaContexts, SeveralHaveTheDriversOwn) { EXPECT_FALSE(gets_short_timeslice({{"CUDA_PROGRAM_BESIDE", "1"}})); }

}  // namespace
}  // namespace xsched::test
