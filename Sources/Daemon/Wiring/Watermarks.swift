// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import Dialects
internal import Kernel
internal import Pipeline
internal import Settings

extension Settings {
    private static let watermarksKey = "options.watermarks"
    private static let fallbackKey = "fallback.picture"

    /// The watermarks by name. An inspector checks the pictures that are files.
    /// - Throws: the first mistake.
    func watermarks(
        inspectedBy inspectors: InspectorPool
    ) async throws(UnusableSetting) -> [String: NamedPicture<Body>] {
        var watermarks: [String: NamedPicture<Body>] = [:]
        for (name, given) in try configuredWatermarks {
            watermarks[name] = try await given.named(Self.watermarksKey, inspectedBy: inspectors)
        }
        return watermarks
    }

    /// The watermarks by name. Files are read now.
    /// - Throws: the first mistake.
    var configuredWatermarks: [String: ConfiguredPicture] {
        get throws(UnusableSetting) {
            let names = sourceNames
            var watermarks: [String: ConfiguredPicture] = [:]
            for (name, place) in try watermarkPlaces {
                watermarks[name] = try ConfiguredPicture(place, Self.watermarksKey, names)
            }
            return watermarks
        }
    }

    /// The fallback picture, shown in place of a picture that cannot be had; nil if there is none. An inspector checks a picture
    /// that is a file.
    func fallbackPicture(
        inspectedBy inspectors: InspectorPool
    ) async throws(UnusableSetting) -> NamedPicture<Body>? {
        try await configuredFallback?.named(Self.fallbackKey, inspectedBy: inspectors)
    }

    /// The fallback picture that the settings name. If it is a file, the file is read now.
    var configuredFallback: ConfiguredPicture? {
        get throws(UnusableSetting) {
            fallback.picture.isEmpty
                ? nil : try ConfiguredPicture(fallback.picture, Self.fallbackKey, sourceNames)
        }
    }

    /// The source names of the settings, or the mistake in them.
    private var sourceNames: Result<SourceNames, UnusableSetting> {
        Result { () throws(UnusableSetting) in try SourceNames(self) }
    }
}
