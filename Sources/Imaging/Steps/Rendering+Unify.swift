// SPDX-License-Identifier: Apache-2.0

internal import CVips

extension Rendering {
    /// 8 bits of grey, RGB or CMYK, alpha or not: what every later step can work with. The numbers keep the meaning
    /// that the embedded profile gives them.
    mutating func unify() throws(ImagingFailure) {
        switch space {
        case CVIPS_SPACE_CMYK:
            // Adobe's programs can store alpha or spot colours behind the four inks.
            if picture.facts.bands > 4 {
                try frames.change { (page) throws(ImagingFailure) in try page.bands(0..<4) }
            }
        case CVIPS_SPACE_GREY, CVIPS_SPACE_RGB:
            try makePlain()
        default:
            // The profile speaks of numbers that are converted away here.
            profile = nil
            try makePlain()
            space = picture.facts.space
        }
        // An encoder that refuses them would be told as a fault of the process, and cost it its life.
        guard picture.facts.bands != 2 || picture.hasAlpha else {
            throw .damaged("two channels without meaning")
        }
    }

    private mutating func makePlain() throws(ImagingFailure) {
        // libvips takes grey with several channels behind it for grey. As RGB it leaves them behind the colours, where the first
        // of them is alpha.
        let most: Int32 = space == CVIPS_SPACE_GREY ? 2 : 4
        guard !picture.facts.plain || picture.facts.bands > most else { return }
        try frames.change { (page) throws(ImagingFailure) in
            let plain = try page.plain()
            return plain.facts.bands > 4 ? try plain.bands(0..<4) : plain
        }
    }
}
