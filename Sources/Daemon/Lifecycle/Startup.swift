// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// What a daemon needs before it does anything else.
package enum Startup {
    /// To be called first in `main`. A second call changes nothing.
    package static func prepare() {
        pictor_open_standard_descriptors()
        pictor_note_signals()
    }
}
