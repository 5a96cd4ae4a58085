// SPDX-License-Identifier: Apache-2.0
// The installed Landlock header may be older than the kernel, so its names are defined here, after the
// kernel's Documentation/userspace-api/landlock.rst.
#define _GNU_SOURCE
#include "CLinux.h"
#include <linux/capability.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

// MARK: Namespaces and privileges

int pictor_leave_namespaces(void) {
    return unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS);
}

int pictor_drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
    memset(none, 0, sizeof none);
    if (syscall(SYS_capset, &header, none) == 0) return 0;
    // A service manager may forbid the call although the process has nothing to drop.
    struct __user_cap_data_struct held[_LINUX_CAPABILITY_U32S_3];
    return syscall(SYS_capget, &header, held) == 0 && memcmp(held, none, sizeof none) == 0 ? 0 : -1;
}

uint64_t pictor_thread_flags(void) { return CLONE_THREAD | CLONE_VM | CLONE_SIGHAND; }

void pictor_clear_environment(void) { clearenv(); }

int64_t pictor_processor_time(pid_t process) {
    clockid_t clock;
    struct timespec used;
    const int code = clock_getcpuclockid(process, &clock);
    if (code != 0) {
        errno = code;
        return -1;
    }
    return clock_gettime(clock, &used) == 0 ? (int64_t)used.tv_sec * 1000000000 + used.tv_nsec : -1;
}

int pictor_limit_processor_time(pid_t process, unsigned int seconds) {
    const int64_t used = pictor_processor_time(process);
    struct rlimit limit;
    if (used < 0 || prlimit(process, RLIMIT_CPU, NULL, &limit) != 0) return -1;
    const rlim_t wanted = (rlim_t)(used / 1000000000) + 1 + seconds;
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    return prlimit(process, RLIMIT_CPU, &limit, NULL);
}

int pictor_limit_data(pid_t process, uint64_t bytes) {
    struct rlimit limit;
    if (prlimit(process, RLIMIT_DATA, NULL, &limit) != 0) return -1;
    limit.rlim_cur = bytes > 0 && bytes < limit.rlim_max ? bytes : limit.rlim_max;
    return prlimit(process, RLIMIT_DATA, &limit, NULL);
}

// MARK: Landlock

struct ruleset {
    uint64_t files, network, scopes;
};

int pictor_landlock_version(void) { return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, 1U); }

int pictor_landlock_ruleset(uint64_t files, uint64_t network, uint64_t scopes) {
    const int version = pictor_landlock_version();
    const struct ruleset handled = {.files = files, .network = network, .scopes = scopes};
    // A kernel refuses a structure longer than its own unless the rest is zero, so the size is what this version
    // of the kernel knows.
    const size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    return (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0U);
}

int pictor_landlock_allow(int ruleset, int folder, uint64_t files) {
    struct {
        uint64_t files;
        int32_t folder;
    } __attribute__((packed)) rule = {.files = files, .folder = folder};
    return (int)syscall(SYS_landlock_add_rule, ruleset, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &rule, 0U);
}

int pictor_landlock_restrict(int ruleset) { return (int)syscall(SYS_landlock_restrict_self, ruleset, 0U); }
