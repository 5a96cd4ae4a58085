// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// Process-wide preparations that must come before everything else.
package enum Startup {
    /// Must be the first call in `main` of any other command than the daemon's: what it prints must not get into a file or a socket
    /// that it opens, and a closed output must be told.
    package static func prepareCommand() { pictor_occupy_standard_descriptors() }

    /// Must be the first call in `main` of the daemon; a second call changes nothing.
    package static func prepare() {
        pictor_open_standard_descriptors()
        pictor_share_heaps()
        pictor_note_signals()
    }
}
