// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIGNALS = 65 }; // from 1 to 64 (signal(7))

static _Atomic unsigned noted[SIGNALS];
static sem_t arrived;
static atomic_bool prepared;
static sem_t ending;
static atomic_bool ends_are_awaited;
static _Atomic int first_end;

// Calls only what signal-safety(7) allows.
static void note(int signal)
{
    const int before = errno;
    if (signal > 0 && signal < SIGNALS) atomic_fetch_add(&noted[signal], 1);
    sem_post(&arrived);
    errno = before;
}

// Calls only what signal-safety(7) allows.
static void end(int signal)
{
    if (!atomic_load(&ends_are_awaited)) _exit(EXIT_SUCCESS);
    const int before = errno;
    int none = 0;
    atomic_compare_exchange_strong(&first_end, &none, signal);
    sem_post(&ending);
    errno = before;
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
    sem_init(&ending, 0, 0);
    const int ends[] = {SIGTERM, SIGINT, SIGQUIT};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) handle(ends[i], end);
}

void pictor_expect_ends(void)
{
    atomic_store(&ends_are_awaited, true);
}

int pictor_await_end(void)
{
    while (sem_wait(&ending) != 0) {}
    return atomic_load(&first_end);
}

void pictor_stop_awaiting_end(void)
{
    sem_post(&ending);
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

static void open_standard_descriptors(int input, int outputs)
{
    for (int descriptor = 0; descriptor <= 2; descriptor++) {
        // open(2) returns the lowest free number, which is this one, because the lower ones are open.
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
            open("/dev/null", descriptor == STDIN_FILENO ? input : outputs);
        }
    }
}

void pictor_open_standard_descriptors(void)
{
    open_standard_descriptors(O_RDWR, O_RDWR);
}

void pictor_occupy_standard_descriptors(void)
{
    open_standard_descriptors(O_WRONLY, O_RDONLY);
}
