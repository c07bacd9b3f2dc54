// The costs of switches and calls on this machine, measured by xcli doctor --run --keep: a file of the user's that xcli
// writes, and that xserver and xsim read. Without it the costs that the platform declares hold.
#pragma once

#include <map>
#include <string>

namespace xsched::host {

// Returns the path of the file: $XDG_STATE_HOME/xsched/device.json; without that variable
// ~/.local/state/xsched/device.json, and for root /var/lib/xsched/device.json. Empty: this process has no home.
std::string device_costs_path();

struct DeviceCosts {
    std::string device;  // "NVIDIA H200", with the driver's version
    std::string measured;  // the day
    // Microseconds, under the names of src/sim/costs.def: switch_us, gate_host_us, gate_device_us, launch_us.
    std::map<std::string, double> us;

    // Returns the cost of that name in microseconds; 0: not measured.
    double of(const std::string& name) const;
};

// Reads the costs from a file. Returns an empty text on success, and also if there is no such file (`costs` is
// unchanged then). Returns a sentence if the file cannot be read, has another form, or has a cost above 10 ms; nothing
// is taken from it then.
std::string read_device_costs(const std::string& path, DeviceCosts& costs);
// Writes the costs to the file, and makes its folder. Returns an empty text, or why the file was not written.
std::string write_device_costs(const std::string& path, const DeviceCosts& costs);

}  // namespace xsched::host
