// A victim with long kernels and an urgent program with shorter ones on the stand-in of AMD's kernel driver, under the
// real server: what the tests of AMD's ways to take a victim off share.
#pragma once

#include "system/cuda_rig.h"

namespace xsched::test {

inline constexpr const char* kLowUs = "20000";  // long enough for level 3 to be worth its price
inline constexpr const char* kHighUs = "2000";

class HipPair : public CudaProcesses {
protected:
    // Returns the environment of a device with 32 compute units, of which a victim may keep four.
    Environment few_units(const char* way) {
        return {{"XSCHED_INTERRUPT", "1"},
                {"XSCHED_HIP_INTERRUPT", way},
                {"XSCHED_HIP_FEW_UNITS", "4"},
                {"FAKE_KFD_UNITS", "32"},
                {"FAKE_KFD_SHARED", directory / "device"}};
    }
    void end_both() {
        EXPECT_EQ(high->end(), 0) << high->process().err();
        EXPECT_EQ(low->end(), 0) << low->process().err();
    }
};

}  // namespace xsched::test
