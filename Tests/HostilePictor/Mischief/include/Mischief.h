// SPDX-License-Identifier: Apache-2.0
// What somebody would try who has taken a decoder over by a picture.
#pragma once

/// Tries it. 0: it worked; else the errno that stopped it, unless it never comes back.
/// `output` is the job's own output file, if it has one.
int mischief_try(const char *_Nonnull name, int output);

/// Becomes another program on a kernel that seems to know no Landlock. Comes back only where that fails.
int mischief_run_without_landlock(const char *_Nonnull path, char *_Nullable const *_Nonnull arguments);

/// "write to a folder" and so on, for the log; NULL if there is no such thing.
const char *_Nullable mischief_words(const char *_Nonnull name);
