// SPDX-License-Identifier: Apache-2.0
//
// Tells the thread sanitizer the order that Swift's Mutex establishes; scripts/sanitize preloads it.
//
// The compiler inlines an atomic operation into our own code that takes a free lock, and releases one that nobody waits
// for; the sanitizer sees it. Contended locks are taken and released in the kernel (FUTEX_LOCK_PI), by two functions of
// libswiftSynchronization, which is not instrumented. So accesses by two threads under one lock are reported as a race as
// soon as one thread had to wait. Nothing is suppressed here: the two functions still do their work, and also report the
// order to the sanitizer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// Null in a process without the sanitizer.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

SWIFT void lock(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void unlock(SELF void *handle) __asm__(UNLOCK);
SWIFT _Bool try_lock(SELF void *handle) __asm__(TRY_LOCK);

SWIFT void lock(uint32_t thread, SELF void *handle) {
    SWIFT void (*next)(uint32_t, SELF void *) = (SWIFT void (*)(uint32_t, SELF void *))dlsym(RTLD_NEXT, LOCK);
    next(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock(SELF void *handle) {
    SWIFT void (*next)(SELF void *) = (SWIFT void (*)(SELF void *))dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(handle);
    next(handle);
}

SWIFT _Bool try_lock(SELF void *handle) {
    SWIFT _Bool (*next)(SELF void *) = (SWIFT _Bool (*)(SELF void *))dlsym(RTLD_NEXT, TRY_LOCK);
    _Bool taken = next(handle);
    if (taken && __tsan_acquire) __tsan_acquire(handle);
    return taken;
}
