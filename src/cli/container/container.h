// The things that a container needs for the programs in it to be scheduled: the libraries, the folder of the server's
// guest socket, and variables. As a CDI file (Container Device Interface,
// github.com/cncf-tags/container-device-interface, 0.5.0) and as options of podman and docker. The main thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/hint_words.h"
#include "cli/installation.h"
#include "cli/server_link.h"

namespace xsched::cli {

inline constexpr const char* kGuestFolder = "/run/xsched-guests";  // as packaging/xserver.service has it

struct ContainerWords {
    HintWords hints;
    std::vector<std::string> platforms;  // by their names; none: those whose driver this machine has
    std::string sockets = kGuestFolder;  // the folder of the server's guest socket
    std::string name = "default";        // the CDI device's
};

struct Mount {
    std::string from;  // on this machine
    std::string to;    // in the container
    bool writable;
};

struct Injection {
    std::vector<Mount> mounts;
    std::vector<std::pair<std::string, std::string>> variables;
    std::vector<const PlatformInfo*> platforms;
};

// Returns what a container gets: mounts, variables and platforms. Throws Failure with the reason if nothing can be
// scheduled: no shim for a platform, or no driver here.
Injection injection_of(const ContainerWords& words, const Installation& installation);

// Throws Failure if the name is none that CDI allows.
Json cdi_file(const Injection& injection, const std::string& name);

// Returns the beginning of a command line of "podman" or "docker": the image and its arguments come behind it.
std::vector<std::string> engine_words(const std::string& engine, const Injection& injection);

// Returns the words as a shell reads them, with quotes where they are needed.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace xsched::cli
