// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { SIGNALS = 65 }; // from 1 to 64 (signal(7))

static _Atomic unsigned noted[SIGNALS];
static sem_t arrived;
static atomic_bool prepared;

// Calls only what signal-safety(7) allows.
static void note(int signal)
{
    const int before = errno;
    if (signal > 0 && signal < SIGNALS) atomic_fetch_add(&noted[signal], 1);
    sem_post(&arrived);
    errno = before;
}

static void end(int signal)
{
    _exit(128 + signal);
}

static void handle(int signal, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

void pictor_note_signals(void)
{
    if (atomic_exchange(&prepared, true)) return;
    sem_init(&arrived, 0, 0);
    const int stray[] = {
        SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR, SIGSTKFLT, SIGXCPU,
    };
    for (size_t i = 0; i < sizeof stray / sizeof *stray; i++) handle(stray[i], note);
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++) handle(signal, note);
    handle(SIGPIPE, SIG_IGN);
    handle(SIGXFSZ, SIG_IGN);
    // The kernel ignores these signals by default for a container's first process (pid_namespaces(7)), which could not be stopped while
    // it starts.
    if (getpid() == 1) {
        const int ends[] = {SIGTERM, SIGINT, SIGQUIT};
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) handle(ends[i], end);
    }
}

void pictor_await_signal(void)
{
    while (sem_wait(&arrived) != 0) {}
    while (sem_trywait(&arrived) == 0) {}
}

unsigned pictor_take_signal(int signal)
{
    return signal > 0 && signal < SIGNALS ? atomic_exchange(&noted[signal], 0) : 0;
}

const char *pictor_signal_name(int signal)
{
    return sigabbrev_np(signal);
}

void pictor_open_standard_descriptors(void)
{
    for (int descriptor = 0; descriptor <= 2; descriptor++) {
        // open(2) returns the lowest free number, which is this one, because the lower ones are open.
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) open("/dev/null", O_RDWR);
    }
}
