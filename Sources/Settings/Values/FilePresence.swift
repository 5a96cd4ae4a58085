// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Whether an optional file is there.
package enum FilePresence {
    /// False only where it is certain that there is none. A folder that may not be entered may hold it, and a link that leads
    /// nowhere was made for a file: an attempt to read it tells the reason.
    package static func isPossible(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 || ![ENOENT, ENOTDIR].contains(errno)
    }
}
