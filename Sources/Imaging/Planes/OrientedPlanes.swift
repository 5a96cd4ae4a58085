// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Planar
internal import Recipes

/// Collects the planes of a picture as it is stored, and passes them upright to an encoder.
final class OrientedPlanes: PlaneEncoder {
    private let encoder: any PlaneEncoder
    private let orientation: Orientation
    /// The upright size of luma.
    private let size: PixelSize
    private var planes: [[UInt8]]

    init(_ size: PixelSize, _ orientation: Orientation, for encoder: any PlaneEncoder) {
        (self.size, self.orientation, self.encoder) = (size, orientation, encoder)
        planes = Array(repeating: [], count: encoder.bands)
        for plane in planes.indices { planes[plane].reserveCapacity(self.size(of: plane).area) }
    }

    var form: PlaneForm { encoder.form }
    var bands: Int { encoder.bands }
    var microseconds: Int { encoder.microseconds }

    func append(_ plane: Int, _ row: UnsafeRawBufferPointer) -> Bool {
        planes[plane].append(contentsOf: row)
        return true
    }

    /// A row of chroma follows the first row of luma that it belongs to.
    func finish() -> Bool {
        let upright = planes.indices.map { orientation.turned(planes[$0], to: size(of: $0)) }
        for y in 0..<size.height {
            for plane in upright.indices where y % density(of: plane) == 0 {
                let width = size(of: plane).width
                let start = y / density(of: plane) * width
                let isTaken = upright[plane][start..<start + width].withUnsafeBytes {
                    encoder.append(plane, $0)
                }
                guard isTaken else { return false }
            }
        }
        return encoder.finish()
    }

    func failure(limit: Int) -> ImagingFailure { encoder.failure(limit: limit) }

    /// How many pixels one sample of the plane stands for, on either axis.
    private func density(of plane: Int) -> Int { plane > 0 && form.halvesChroma ? 2 : 1 }

    private func size(of plane: Int) -> PixelSize {
        let density = density(of: plane)
        return PixelSize(
            width: (size.width + density - 1) / density, height: (size.height + density - 1) / density)
    }
}
