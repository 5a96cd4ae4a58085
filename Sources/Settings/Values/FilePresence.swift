// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Whether a file is there that need not be.
package enum FilePresence {
    /// False only where it is certain that there is none. A folder that may not be entered may hold it, and a link that leads
    /// nowhere was made to lead somewhere: an attempt to read the file then tells the reason.
    package static func isPossible(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 || ![ENOENT, ENOTDIR].contains(errno)
    }
}
