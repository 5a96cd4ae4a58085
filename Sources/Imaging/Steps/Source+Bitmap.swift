// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

extension Source {
    /// Decodes a bitmap of this size. The file has 14 bytes before the bitmap, which say where its pixels
    /// begin.
    func loadBitmap(of size: PixelSize) throws(ImagingFailure) -> Picture {
        let pixels = try file.little(at: 10, 4)
        guard pixels >= 14, file.count > 14 else { throw .bitmap("length") }
        let bitmap = try DeviceBitmap(UnsafeRawBufferPointer(rebasing: file[14...]), pixels: pixels - 14)
        guard bitmap.size == size else { throw .bitmap("size") }
        return bitmap.hasAlpha
            ? try Picture(samples: bitmap.rgba(), size: size, bands: 4)
            : try Picture(samples: bitmap.rgb(), size: size, bands: 3)
    }
}
