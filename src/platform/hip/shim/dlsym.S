/* dlsym for the programs we are loaded into: names of the HIP runtime are looked at first (dlsym.cpp); everything else
   goes on to the C library by a jump, so that it sees the caller's own address, as RTLD_NEXT needs. */
    .text
    .p2align 4
    .globl dlsym
    .hidden xsched_hip_dlsym
    .hidden xsched_hip_real_dlsym
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
    call xsched_hip_dlsym
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    testq %rax, %rax
    jnz 1f
    jmp *xsched_hip_real_dlsym(%rip)
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
    bl xsched_hip_dlsym
    mov x16, x0
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    cbnz x16, 1f
    adrp x16, xsched_hip_real_dlsym
    ldr x16, [x16, #:lo12:xsched_hip_real_dlsym]
    br x16
1:  mov x0, x16
    ret
    .cfi_endproc
    .size dlsym, . - dlsym
    .section .note.GNU-stack, "", %progbits
#endif
