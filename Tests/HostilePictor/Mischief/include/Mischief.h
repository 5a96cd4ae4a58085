// SPDX-License-Identifier: Apache-2.0
// What somebody would try who has taken a decoder over by a picture.
#pragma once

/// Tries it. 0: it worked; else the errno that stopped it, unless it never comes back.
/// `output` is the job's own output file.
int mischief_try(const char *_Nonnull name, int output);

/// "write to a folder" and so on, for the log; NULL if there is no such thing.
const char *_Nullable mischief_words(const char *_Nonnull name);
