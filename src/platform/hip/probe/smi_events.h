// The events of this process's queues from AMD's kernel driver while a trial runs: evictions, resets, faults. Lines on
// standard error, by which xcli saves them: "kfd event: queues evicted: ...".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xsched::probe {

// Returns the driver's numbers of the GPUs whose nodes are in this folder (/sys/class/kfd/kfd/topology/nodes).
std::vector<uint32_t> gpu_ids(const std::string& folder);

// Returns the driver's line "<number in hex> <message>" in words; empty: it is no such line.
std::string event_in_words(const std::string& line);

// Watches events during the process's whole life, if the driver permits it.
void watch_smi_events();

}  // namespace xsched::probe
