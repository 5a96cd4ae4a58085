// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    /// Turns the picture upright (EXIF 2.32 §4.6.5.1, Orientation), after the resize has made it small. Only
    /// mirroring a row works while rows stream through; every other turn needs the pixels in memory.
    mutating func orient() throws(ImagingFailure) {
        let orientation = orientation
        try frames.change { (page) throws(ImagingFailure) in
            switch orientation {
            case 2: try page.mirrored(vertically: false)
            case 3: try page.buffered().turned(2)
            case 4: try page.buffered().mirrored(vertically: true)
            case 5: try page.buffered().turned(1).mirrored(vertically: false)
            case 6: try page.buffered().turned(1)
            case 7: try page.buffered().turned(3).mirrored(vertically: false)
            case 8: try page.buffered().turned(3)
            default: page
            }
        }
    }
}
