// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import Recipes

/// How many pixels of a picture lie on a millimetre of paper.
struct Density {
    var across: Double
    var down: Double

    /// 72 pixels an inch, for a picture that tells none.
    static let usual = Density(across: 72 / 25.4, down: 72 / 25.4)

    /// The density of the picture that lies on its side.
    var lyingDown: Density { Density(across: down, down: across) }
}

extension Picture {
    /// The density that libvips has read; the usual one in place of 0, which no picture has.
    var density: Density {
        var numbers: [Double] = [0, 0]
        cvips_density(image, &numbers)
        guard numbers.allSatisfy({ $0 > 0 }) else { return .usual }
        return Density(across: numbers[0], down: numbers[1])
    }

    func printed(at density: Density) throws(ImagingFailure) -> Picture {
        try Picture(cvips_with_density(image, density.across, density.down))
    }
}
