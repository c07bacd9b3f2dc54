// A plugin of host.cpp: uses a device and gives everything back.
#include "device.h"

extern "C" [[gnu::visibility("default")]] unsigned plugin_result() {
    cases::Device device;
    device.open();
    for (int i = 0; i < 5; ++i) device.spin(cases::kShort);
    const std::string result = device.result();
    device.close();
    return static_cast<unsigned>(std::atoll(result.substr(result.find(' ')).c_str()));
}
