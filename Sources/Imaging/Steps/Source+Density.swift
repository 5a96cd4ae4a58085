// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

extension Source {
    /// The density that a JPEG tells. libvips prefers EXIF's to JFIF's, and takes a resolution without a unit for pixels per
    /// millimetre.
    var densityOfJPEG: Density {
        guard let told = JPEGDensity.read(MappedFile(bytes: file)) else { return .usual }
        return Density(across: told.across / 25.4, down: told.down / 25.4)
    }
}
