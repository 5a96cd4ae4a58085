// SPDX-License-Identifier: Apache-2.0

/// Decodes strips of a JPEG's planes into their rings, from the top.
protocol StripDecoder: ~Copyable {
    /// Decodes the next strip of each plane.
    mutating func decodeStrip() throws(JPEGLaneRefusal)
}
