// Tells whether the process has entered a sandbox (seccomp) since XSched began in it. The kernel may then end a process
// that asks for anything new: a socket, a file, a thread. By then XSched has everything it needs. In a sandbox it
// leaves out steps that are merely useful, such as the search for another server. Any thread.
//
// Each of our libraries has a copy of this. Libpreempt notes the confinement, and the others ask its copy.
#pragma once

namespace xsched::base {

// Remembers the process's filters. Keeps a descriptor of /proc/self/status open.
void note_confinement();
// Returns whether the first thread has got another filter since, or this thread one of its own. The latter does not
// show where the process had filters from the beginning, as in a container. False also where nothing is known. Makes at
// most four system calls.
bool entered_sandbox();

// Makes this library's copy ask another library's copy.
void ask_about_sandbox(bool (*ask)());

}  // namespace xsched::base
