// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import ImageModel
internal import Jail

extension Settings {
    /// Formats whose text is drawn with the fonts of this machine, and where those are, with fontconfig's notes on them.
    private static let lettered: Set<ImageFormat> = [.svg, .pdf]
    private static let fonts = [
        "/etc/fonts", "/usr/share/fontconfig", "/usr/share/fonts", "/usr/local/share/fonts",
        "/usr/share/poppler", "/var/cache/fontconfig",
    ]

    var formats: Set<ImageFormat> { Set(decoder.formats.compactMap(ImageFormat.init)) }

    /// Bytes, code and stacks included. Pictures of 12 megapixels were seen to need 0.3 GB; a whole-image decode of 100
    /// megapixels, the most that is let in, takes about 1 GB.
    private static var decoderAddressSpace: Int { 2 << 30 }

    var decoders: Int { decoder.processes > 0 ? decoder.processes : Self.cores }

    var poolSettings: DecoderPoolSettings {
        var settings = DecoderPoolSettings()
        settings.processes = decoders
        settings.encoders = encoder
        settings.damaged = decoder.damaged
        settings.formats = formats
        settings.fileSize = decoder.maximumOutput.bytes
        settings.arguments +=
            JailPolicy(
                mode: decoder.jail, addressSpace: Self.decoderAddressSpace, fileSize: settings.fileSize,
                lastDescriptor: Wire.descriptor,
                readable: formats.isDisjoint(with: Self.lettered) ? [] : Self.fonts
            ).arguments
        settings.recycleAfter = decoder.recycleAfter
        settings.recycleAbove = memoryShares.recycleAbove
        // Between two jobs a process maps 0.2 to 0.5 GB, code and stacks.
        settings.spentAbove = Self.decoderAddressSpace / 2
        return settings
    }
}
