// SPDX-License-Identifier: Apache-2.0

/// Maps a JPEG's samples, 0 to 255, to those of a plane of the result.
struct SampleRange {
    /// The factor by which samples are multiplied.
    let gain: Double
    /// The value that is added after the multiplication, times 64.
    let offset: Int16
    let bounds: (low: Int16, high: Int16)

    static let full = SampleRange(gain: 1, offset: 0, bounds: (0, 255))
    static let limitedLuma = SampleRange(gain: 219.0 / 255, offset: 16 * 64, bounds: (16, 235))
    /// The offset keeps 128 at 128.
    static let limitedChroma = SampleRange(gain: 224.0 / 255, offset: 996, bounds: (16, 240))
}
