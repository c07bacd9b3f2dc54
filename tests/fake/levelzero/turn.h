// One device for several processes (FAKE_ZE_SHARED): the thread that has the turn has the device.
#pragma once

namespace fake {

class Turn {
public:
    Turn();
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
};

}  // namespace fake
