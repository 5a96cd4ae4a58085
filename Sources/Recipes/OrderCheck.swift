// SPDX-License-Identifier: Apache-2.0
// Checks a decoder's claims against its order. An attacker may have taken the decoder over, and its answer is
// stored and served under the picture's own URL.

package import ImageHeaders

extension Recipe {
    /// The most pixels by which a side may differ from the size computed here, because the decoder and the
    /// daemon round the canvas of a rotation separately.
    private static let sideTolerance = 2
    /// The most bytes of a JSON rendition.
    package static let longestInspection = 1_024

    /// True if this recipe may have such a result. The output must be resolved, or `.json`.
    ///
    /// The format is certain except for `.auto`, which is AVIF or WebP. The sides are certain if the header decides
    /// the original's size and nothing depends on pixels; otherwise they must be within the limits. A file may have
    /// fewer frames than its header says, but never more.
    package func mayBecome(_ rendered: Rendered, of header: ImageHeader, within pixels: Int) -> Bool {
        if output == .json {
            return rendered.format == header.format && rendered.length <= Self.longestInspection
        }
        let sides = 1...rendered.format.longestSide
        guard mayBecome(rendered.format, of: header), sides.contains(rendered.width),
            sides.contains(rendered.height), (1...framesTaken(from: header)).contains(rendered.pages)
        else { return false }
        // Cannot trap: sides are below 2¹⁶, and there is at least one page.
        guard rendered.width * rendered.height <= pixels / rendered.pages else { return false }
        guard hasCertainSize(of: header) else { return true }
        let expected = resultSize(for: header)
        return (rendered.width - expected.width).magnitude <= Self.sideTolerance
            && (rendered.height - expected.height).magnitude <= Self.sideTolerance
    }

    private func mayBecome(_ format: ImageFormat, of header: ImageHeader) -> Bool {
        if output == .auto, format == .webp { return triesExact(header) }
        return format == resolvedOutput(for: header)
    }

    private func hasCertainSize(of header: ImageHeader) -> Bool {
        // For these formats, decoders refuse a file whose picture's size differs from its header.
        let isMeasured = [.jpeg, .png, .webp, .bmp].contains(header.format)
        return isMeasured && trim == nil && mask?.trims != true
    }
}

extension ImageFormat {
    /// The number of bytes that `begins` examines.
    package static let longestBeginning = 12

    /// True if a file with these first bytes can be of this format. Only fixed bytes at fixed places are
    /// checked.
    package func begins(_ start: [UInt8]) -> Bool {
        func has(_ text: String, at offset: Int = 0) -> Bool {
            start.dropFirst(offset).starts(with: text.utf8)
        }
        return switch self {
        case .jpeg, .png, .gif, .tiff, .jxl:
            ImageSignature.magics(of: self).contains { start.starts(with: $0) }
        case .webp: has("RIFF") && has("WEBP", at: 8)
        case .avif: has("ftyp", at: 4)
        case .svg: has("<svg ")
        // These formats are never written.
        case .heic, .bmp, .ico, .pdf: false
        }
    }
}
