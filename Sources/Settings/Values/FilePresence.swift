// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Whether an optional file exists.
package enum FilePresence {
    /// False only if the file certainly does not exist. It may exist in a folder that this process must not enter, and a broken
    /// link was made for a file; in both cases an attempt to read the file reports the reason.
    package static func isPossible(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 || ![ENOENT, ENOTDIR].contains(errno)
    }
}
