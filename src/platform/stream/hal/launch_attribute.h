// One attribute of a launch, as CUDA and HIP lay it out and number it alike (tests compare with CUDA's header; of HIP's
// events have no number yet). Plain data.
#pragma once

namespace xsched::stream {

struct LaunchAttribute {
    int id;
    alignas(8) char value[64];
};
inline constexpr int kCooperativeAttribute = 2;
inline constexpr int kProgrammaticEventAttribute = 7;  // the event is the value's first member
inline constexpr int kCompletionEventAttribute = 12;  // likewise

}  // namespace xsched::stream
