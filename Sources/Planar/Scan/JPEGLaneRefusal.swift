// SPDX-License-Identifier: Apache-2.0

/// Why a file is left to a decoder that reads everything. None of these says that the picture is bad.
package enum JPEGLaneRefusal: String, Error, Sendable, Hashable, CaseIterable {
    /// A JPEG of another kind: arithmetic, 12 bits, CMYK, RGB, several scans that are not progressive, other samplings.
    case otherKind = "other-kind"
    /// Its segments are not in order, or contradict one another.
    case oddHeader = "odd-header"
    /// The coded data break a rule: a code that is none, a run past the block, a marker at the wrong place, an end too
    /// early or too late.
    case oddData = "odd-data"
    /// A size or a scale that is not made here.
    case otherSize = "other-size"
}
