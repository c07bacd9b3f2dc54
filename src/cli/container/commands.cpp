// xcli container: what makes programs in containers scheduled.
#include "cli/commands.h"

#include <unistd.h>

#include <fstream>
#include <memory>

#include "cli/container/container.h"
#include "cli/hint_options.h"
#include "cli/show.h"
#include "console/fold.h"

namespace xsched::cli {
namespace {

struct Asked : ContainerWords {
    std::string form;
    std::string out;
    std::string engine;
    std::vector<std::string> image;
};

void tell_missing_socket(const Asked& asked) {
    if (access(asked.sockets.c_str(), F_OK) == 0) return;
    console::print_error(
        "xcli: there is no %s on this machine yet: start 'xserver --system --guest-socket %s/xserver.sock' (the "
        "package's service does), or say with --sockets where the server's guest socket is\n",
        asked.sockets.c_str(), asked.sockets.c_str());
}

int write_cdi(const Asked& asked, const Injection& injection, bool json) {
    if (!asked.image.empty()) throw Failure("xcli container cdi takes no image: it describes what any container gets");
    const std::string text = cdi_file(injection, asked.name).dump(2) + "\n";
    if (asked.out.empty()) {
        print(text);
        return 0;
    }
    std::ofstream file(asked.out);
    file << text << std::flush;
    if (!file)
        throw Failure("the file " + asked.out + " cannot be written: its folder must be there, and yours to write",
                      kNotWritten);
    if (json) {
        print(Json{{"ok", true}, {"file", asked.out}, {"device", "xsched.io/class=" + asked.name}}.dump(2) + "\n");
        return 0;
    }
    console::print_error("xcli: %s is written: podman run --device xsched.io/class=%s IMAGE\n", asked.out.c_str(),
                         asked.name.c_str());
    return 0;
}

int print_lines(const Asked& asked, const Injection& injection, bool json) {
    Json lines = Json::array();
    for (const std::string engine : {"podman", "docker"}) {
        if (!asked.engine.empty() && asked.engine != engine) continue;
        std::vector<std::string> words = engine_words(engine, injection);
        if (asked.image.empty()) words.push_back("IMAGE");
        words.insert(words.end(), asked.image.begin(), asked.image.end());
        lines.push_back({{"engine", engine}, {"words", words}, {"line", shell_line(words)}});
        if (!json) print(shell_line(words) + "\n");
    }
    if (json) print(Json{{"ok", true}, {"lines", lines}}.dump(2) + "\n");
    return 0;
}

}  // namespace

void add_container(CLI::App& app, Words& words) {
    const auto asked = std::make_shared<Asked>();
    CLI::App* container =
        add_command(app, words, "container", "what makes programs in containers scheduled: a CDI file, command lines",
                    [&words, asked] {
                        const Injection injection = injection_of(*asked, find_installation());
                        tell_missing_socket(*asked);
                        return asked->form == "cdi" ? write_cdi(*asked, injection, words.json)
                                                    : print_lines(*asked, injection, words.json);
                    });
    container->add_option("FORM", asked->form, "cdi: a file for /etc/cdi; run: the lines for podman and docker")
        ->required()
        ->transform(one_of("form", {"cdi", "run"}));
    container->add_option("IMAGE", asked->image, "with run: the image, and what runs in it");
    std::vector<std::string> names;
    for (const PlatformInfo& platform : kPlatforms) names.emplace_back(platform.name);
    container
        ->add_option("--platform", asked->platforms,
                     "a platform in the container, may be repeated (those with a driver here)")
        ->transform(one_of("platform", names))
        ->allow_extra_args(false);
    container
        ->add_option("--sockets", asked->sockets,
                     "the folder of the server's guest socket (" + std::string(kGuestFolder) + ")")
        ->type_name("FOLDER");
    container->add_option("--name", asked->name, "with cdi: the device is xsched.io/class=NAME (default)");
    add_out(container, asked->out, "with cdi: the file, instead of printing it");
    container->add_option("--engine", asked->engine, "with run: only this one's line")
        ->transform(one_of("engine", {"podman", "docker"}));
    add_hints(container, asked->hints, true);
}

}  // namespace xsched::cli
