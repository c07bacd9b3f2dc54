// XSCHED_HOT marks functions on the path of every command. The linker puts them side by side: a program that comes back
// from a pause of some milliseconds meets few pages and cache lines that the processor has forgotten meanwhile.
#pragma once

#define XSCHED_HOT [[gnu::hot]]
