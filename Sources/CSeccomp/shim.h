// SPDX-License-Identifier: Apache-2.0
// What Swift needs of libseccomp: actions that are macros with an argument or wider than Swift reads them.
#pragma once
#include <seccomp.h>

static inline uint32_t pictor_seccomp_kill(void) { return SCMP_ACT_KILL_PROCESS; }
static inline uint32_t pictor_seccomp_allow(void) { return SCMP_ACT_ALLOW; }
static inline uint32_t pictor_seccomp_fail(uint16_t code) { return SCMP_ACT_ERRNO(code); }
