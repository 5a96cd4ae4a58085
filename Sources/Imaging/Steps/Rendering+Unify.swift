// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import Recipes

extension Rendering {
    /// Converts to 8 bits of grey, RGB or CMYK, with alpha or without, which every later step can work with. The
    /// embedded profile still applies to the samples.
    mutating func unify() throws(ImagingFailure) {
        switch space {
        case CVIPS_SPACE_CMYK:
            // Adobe's programs can store alpha or spot colours behind the four inks; they are dropped.
            if picture.facts.bands > 4 {
                try frames.change { (page) throws(ImagingFailure) in try page.bands(0..<4) }
            }
        case CVIPS_SPACE_GREY, CVIPS_SPACE_RGB:
            try makePlain()
        default:
            // The profile describes the samples before this conversion.
            profile = nil
            try makePlain()
            space = picture.facts.space
        }
        // An encoder's refusal of such a picture would be reported as a fault of the process, which would be
        // replaced.
        guard picture.facts.bands != 2 || picture.hasAlpha else {
            throw .damaged("two channels without meaning")
        }
    }

    private mutating func makePlain() throws(ImagingFailure) {
        // libvips keeps grey with several extra channels as grey. Converted to RGB, the extra channels follow the colours, and
        // the first of them is alpha.
        let most: Int32 = space == CVIPS_SPACE_GREY ? 2 : 4
        guard !picture.facts.plain || picture.facts.bands > most else { return }
        try frames.change { (page) throws(ImagingFailure) in
            let plain = try page.plain()
            return plain.facts.bands > 4 ? try plain.bands(0..<4) : plain
        }
    }
}
