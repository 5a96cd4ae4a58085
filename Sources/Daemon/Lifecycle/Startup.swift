// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// Process-wide preparations that must come before everything else.
package enum Startup {
    /// Must be the first call in `main`; a second call changes nothing.
    package static func prepare() {
        pictor_open_standard_descriptors()
        pictor_share_heaps()
        pictor_note_signals()
    }
}
