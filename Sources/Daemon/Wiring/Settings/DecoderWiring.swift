// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import DecoderProtocol
internal import ImageHeaders
internal import Jail
internal import Settings

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
        settings.jpegLane = decoder.jpegLane
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

    /// Two, so that one may be replaced; each answers thousands of questions a second.
    static let inspectors = 2
    /// Bytes beyond the program and its libraries. The largest thing that a parser keeps is the list of a
    /// TIFF's pages.
    private static let inspectorAddressSpace = 64 << 20

    var inspectorSettings: DecoderPoolSettings {
        var settings = DecoderPoolSettings()
        settings.name = "inspector"
        settings.processes = Self.inspectors
        settings.spares = 0
        settings.formats = []
        // One question of each fetch under way may wait at the same moment.
        settings.queueLimit = max(1_024, origin.maximumFetches)
        // A second or two: who computes for longer does not wait for anything. Parsers end by their own
        // budget before.
        settings.processorTime = 0.25
        settings.recycleAfter = 10_000
        settings.measuresMemory = false
        settings.arguments =
            ["inspector"]
            + JailPolicy(
                mode: decoder.jail, work: .inspecting, addressSpace: Self.inspectorAddressSpace,
                // Written where a compressed original is unpacked.
                fileSize: origin.maximumBody.bytes, lastDescriptor: Wire.descriptor
            ).arguments
        return settings
    }
}
