// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

int pictor_prctl(int option, unsigned long argument)
{
    return prctl(option, argument, 0UL, 0UL, 0UL);
}

int pictor_pidfd_open(pid_t process)
{
    return (int)syscall(SYS_pidfd_open, process, 0U);
}

void pictor_heed_children(void)
{
    struct sigaction action;
    if (sigaction(SIGCHLD, NULL, &action) == 0 && action.sa_handler == SIG_IGN) signal(SIGCHLD, SIG_DFL);
}

pid_t pictor_fork_sibling(void)
{
    // glibc keeps the thread's id at the address that it gave the kernel to clear; the kernel stores the
    // child's id there.
    int *id = NULL;
    if (prctl(PR_GET_TID_ADDRESS, &id, 0UL, 0UL, 0UL) != 0 || id == NULL || *id != gettid()) {
        errno = ENOSYS;
        return -1;
    }
    const unsigned long flags = CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;
#if defined __x86_64__
    return (pid_t)syscall(SYS_clone, flags, NULL, NULL, id, 0UL);
#elif defined __aarch64__
    return (pid_t)syscall(SYS_clone, flags, NULL, NULL, 0UL, id);
#else
    errno = ENOSYS;
    return -1;
#endif
}

int pictor_close_from(unsigned int first)
{
    return close_range(first, ~0U, 0);
}

int pictor_pipe(int *ends)
{
    return pipe2(ends, O_CLOEXEC | O_NONBLOCK);
}

int pictor_limit(int resource, uint64_t value)
{
    struct rlimit limit = {.rlim_cur = value, .rlim_max = value};
    return setrlimit(resource, &limit);
}

int pictor_raise_open_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    const rlim_t now = setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : before;
    return now > INT_MAX ? INT_MAX : (int)now;
}

int pictor_add_niceness(int increment)
{
    return setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + increment);
}

int pictor_be_nicer_than_main(int increment)
{
    return setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, getpid()) + increment);
}

int pictor_spawn_close_from(posix_spawn_file_actions_t *actions, int first)
{
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

static int unmap_used(struct dl_phdr_info *module, size_t size, void *page)
{
    (void)size;
    // The vDSO belongs to no file.
    if (module->dlpi_addr == getauxval(AT_SYSINFO_EHDR))
        return 0;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        // Segments that were written to exist only in memory.
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W)
            continue;
        uintptr_t begin = module->dlpi_addr + segment->p_vaddr, start = begin & ~(*(uintptr_t *)page - 1);
        madvise((void *)start, begin - start + segment->p_memsz, MADV_DONTNEED);
    }
    return 0;
}

void pictor_unmap_used_code(void)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(unmap_used, &page);
}
