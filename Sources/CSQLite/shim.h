// SPDX-License-Identifier: Apache-2.0
// What Swift needs of SQLite: what macros and destructor constants Swift cannot say.
#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast that Swift does not import: SQLite copies the bytes before these return.
static inline int pictor_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}
static inline int pictor_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// Where SQLite writes temporary files, before all places that it would look for (https://sqlite.org/tempfiles.html). The first
// call counts, so that nothing changes under a connection.
static inline void pictor_lend_temporary_folder(const char *path) {
    char *none = 0, *copy = sqlite3_mprintf("%s", path);
    if (!__atomic_compare_exchange_n(
            &sqlite3_temp_directory, &none, copy, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        sqlite3_free(copy);
}
