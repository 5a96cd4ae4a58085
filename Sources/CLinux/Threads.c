// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

void pictor_name_this_thread(const char *name)
{
    pthread_setname_np(pthread_self(), name);
}

int pictor_allowed_processors(void)
{
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
}

int pictor_take_short_turns(uint64_t nanoseconds)
{
    // struct sched_attr of linux/sched/types.h, which glibc declares only from 2.41 on.
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {.size = sizeof attributes, .policy = SCHED_OTHER, .runtime = nanoseconds};
    attributes.nice = getpriority(PRIO_PROCESS, 0);
    return (int)syscall(SYS_sched_setattr, 0, &attributes, 0U);
}

void pictor_share_heaps(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    mallopt(M_ARENA_MAX, processors < 16 ? 1 : (int)(processors / 8));
}

int64_t pictor_wall_milliseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

uint64_t pictor_wall_nanoseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

int64_t pictor_monotonic_microseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

int64_t pictor_boot_microseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

int pictor_new_timer(void)
{
    return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
}

void pictor_set_timer(int timer, int64_t microseconds)
{
    struct itimerspec time = {
        .it_value = {.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000},
    };
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL);
}

void pictor_wait_for_timer(int timer)
{
    uint64_t count;
    while (read(timer, &count, sizeof count) < 0 && errno == EINTR) {}
}
