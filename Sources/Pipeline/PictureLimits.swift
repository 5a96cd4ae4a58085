// SPDX-License-Identifier: Apache-2.0

package import ImageModel

/// What a picture may ask of a decoder, by what its header says.
package struct PictureLimits: Sendable, Hashable {
    package var formats: Set<ImageFormat>
    /// Pixels in all the frames that would be decoded together.
    package var pixels: Int
    /// Frames that would be decoded.
    package var frames: Int

    package init(
        formats: Set<ImageFormat> = [.jpeg, .png, .webp, .gif, .avif, .heic, .tiff], pixels: Int = 100_000_000,
        frames: Int = 256
    ) {
        self.formats = formats
        self.pixels = pixels
        self.frames = frames
    }

    /// - Parameter frames: how many of the header's frames are wanted.
    package func check(_ header: ImageHeader, frames wanted: Int) throws(DecodeFailure) {
        guard formats.contains(header.format) else { throw .formatNotAllowed(header.format) }
        guard wanted <= frames else { throw .tooManyFrames(limit: frames) }
        // The sides come from a file that means harm: their product may not fit an Int.
        let (area, overflows) = header.width.multipliedReportingOverflow(by: header.height)
        guard !overflows, area <= pixels / max(1, wanted) else { throw .tooManyPixels(limit: pixels) }
    }
}
