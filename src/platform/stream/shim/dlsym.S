/* dlsym for the programs we are loaded into: names of the vendor's are looked at first (dlsym.cpp). Everything else
   goes on, by a jump, to the dlsym that comes behind us: it sees the caller's own address, as RTLD_NEXT needs. */
    .text
    .p2align 4
    .globl dlsym
    .hidden xsched_dlsym
    .hidden xsched_next_dlsym
#if defined(__x86_64__)
    .type dlsym, @function
dlsym:
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    movq 24(%rsp), %rdx
    call xsched_dlsym
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    testq %rdx, %rdx
    jnz 1f
    jmp *xsched_next_dlsym(%rip)
1:  ret
    .cfi_endproc
    .size dlsym, . - dlsym
    .section .note.GNU-stack, "", @progbits
#elif defined(__aarch64__)
    .type dlsym, %function
dlsym:
    .cfi_startproc
    hint #34  /* bti c */
    stp x29, x30, [sp, #-32]!
    .cfi_def_cfa_offset 32
    .cfi_offset x29, -32
    .cfi_offset x30, -24
    stp x0, x1, [sp, #16]
    mov x2, x30
    bl xsched_dlsym
    cbnz x1, 1f
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_remember_state
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    adrp x16, xsched_next_dlsym
    ldr x16, [x16, #:lo12:xsched_next_dlsym]
    br x16
    .cfi_restore_state
1:  ldp x29, x30, [sp], #32
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    ret
    .cfi_endproc
    .size dlsym, . - dlsym
    .section .note.GNU-stack, "", %progbits
#endif
