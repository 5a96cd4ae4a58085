// SPDX-License-Identifier: Apache-2.0

/// Makes the strips of a JPEG's planes in their rings, from the top.
protocol StripDecoder: ~Copyable {
    /// Makes the next strip of each plane.
    mutating func decodeStrip() throws(JPEGLaneRefusal)
}
