// The code objects that cmake/amd_code.cmake compiled, in read-only memory. They begin at a page, as files do that are
// mapped.
    .section .rodata
    .balign 4096
    .global busy_code_gfx90a
busy_code_gfx90a:
    .incbin "gfx90a.co"
    .balign 4096
    .global busy_code_gfx942
busy_code_gfx942:
    .incbin "gfx942.co"
    .balign 4096
    .section .note.GNU-stack, "", %progbits
