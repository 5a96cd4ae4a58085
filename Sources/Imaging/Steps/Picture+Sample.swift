// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

extension Picture {
    /// The opaque colour at a place, or the mean colour. The picture must be in memory.
    func colour(of sample: ColourSample) throws(ImagingFailure) -> Color {
        switch sample {
        case .average: try average()
        case .topLeft: try Color(pixel: pixel(x: 0, y: 0))
        case .bottomRight: try Color(pixel: pixel(x: size.width - 1, y: size.height - 1))
        }
    }

    /// The longest side, in pixels, of the reduced picture whose mean is taken: small enough to add up every
    /// pixel, and with the mean of the larger picture.
    private static let sampledSide = 64

    private func average() throws(ImagingFailure) -> Color {
        let size = size
        func factor(_ side: Int) -> Double { min(1, Double(Self.sampledSide) / Double(side)) }
        let small = try premultiplied { (picture) throws(ImagingFailure) in
            try picture.scaled(factor(size.width), factor(size.height))
        }
        return AverageColour(of: try small.rgba()).colour
    }
}

extension Color {
    /// - Parameter numbers: a pixel of grey or of sRGB, with alpha or without.
    fileprivate init(pixel numbers: [Double]) {
        let levels = numbers.map { UInt8(min(max($0, 0), 255)) }
        let colours = levels.count < 3 ? Array(repeating: levels.first ?? 0, count: 3) : levels
        self.init(red: colours[0], green: colours[1], blue: colours[2])
    }
}
