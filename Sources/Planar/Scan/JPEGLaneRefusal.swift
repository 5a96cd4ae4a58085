// SPDX-License-Identifier: Apache-2.0

/// Why a file is left to a decoder that reads every kind. None of these reasons means that the picture is
/// damaged.
package enum JPEGLaneRefusal: String, Error, Sendable, Hashable, CaseIterable {
    /// Another kind of JPEG: arithmetic coding, 12 bits, CMYK, RGB, several scans that are not progressive, other
    /// samplings.
    case otherKind = "other-kind"
    /// The segments are out of order, or contradict one another.
    case oddHeader = "odd-header"
    /// The coded data break a rule: an undefined code, a run past the block, a marker at the wrong place, an end too
    /// early or too late.
    case oddData = "odd-data"
    /// A size or a scale that is not supported here.
    case otherSize = "other-size"
}
