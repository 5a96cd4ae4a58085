// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import DecoderProtocol
internal import ImageHeaders
internal import Jail
internal import Settings

extension Settings {
    /// Formats that may contain text, which is drawn with this machine's fonts; and the folders of the fonts and of fontconfig.
    private static let lettered: Set<ImageFormat> = [.svg, .pdf]
    private static let fonts =
        ["/etc/fonts", "/usr/share/fontconfig"] + InstalledFonts.folders
        + ["/usr/share/poppler", "/var/cache/fontconfig"]

    var formats: Set<ImageFormat> { Set(decoder.formats.compactMap(ImageFormat.init)) }

    /// The address space of a decoder in bytes, with code and stacks. Pictures of 12 megapixels needed 0.3 GB; decoding a whole
    /// image of 100 megapixels, the largest accepted by default, takes about 1 GB.
    private static var decoderAddressSpace: Int { 2 << 30 }

    private var jailMode: JailPolicy.Mode {
        switch decoder.jail {
        case .require: .require
        case .prefer: .prefer
        case .off: .off
        }
    }

    var decoders: Int { decoder.processes > 0 ? decoder.processes : ProcessorLimit.count }

    /// The program of decoders and inspectors, with the jails of both.
    var workerProgram: WorkerProgram {
        var program = WorkerProgram()
        program.formats = formats
        program.writes = writesJXL ? [.jxl] : []
        program.jpegLane = decoder.jpegLane
        program.arguments += decoderJail.arguments + inspectorJail.arguments
        return program
    }

    private var decoderJail: JailPolicy {
        JailPolicy(
            mode: jailMode, addressSpace: Self.decoderAddressSpace, fileSize: decoder.maximumOutput.bytes,
            lastDescriptor: Wire.descriptor,
            readable: formats.isDisjoint(with: Self.lettered) && decoder.fonts.isEmpty ? [] : Self.fonts)
    }

    private var inspectorJail: JailPolicy {
        JailPolicy(
            mode: jailMode, work: .inspecting, addressSpace: Self.inspectorAddressSpace,
            // An inspector writes a file only when it decompresses an original.
            fileSize: origin.maximumBody.bytes, lastDescriptor: Wire.descriptor)
    }

    var poolSettings: WorkerPoolSettings {
        var settings = WorkerPoolSettings()
        settings.processes = decoders
        settings.share = min(1, ProcessorLimit.time / Double(decoders))
        settings.fileSize = decoder.maximumOutput.bytes
        settings.recycleAfter = decoder.recycleAfter
        settings.recycleAbove = memoryShares.recycleAbove
        // A process that has mapped more bytes than this between two jobs is replaced. Code and stacks take 0.2 to 0.5 GB.
        settings.spentAbove = Self.decoderAddressSpace / 2
        return settings
    }

    /// The number of inspector processes: two, so that one may be replaced. Each does thousands of jobs per second.
    static let inspectors = 2
    /// The address space of an inspector in bytes, beyond the program and its libraries. The largest object of a parser is the
    /// list of a TIFF's pages.
    private static let inspectorAddressSpace = 64 << 20

    var inspectorSettings: WorkerPoolSettings {
        var settings = WorkerPoolSettings()
        settings.kind = .inspector
        settings.processes = Self.inspectors
        settings.spares = 0
        // Each fetch under way may have one job waiting, and `mostFetches` is the most fetches that a reload can permit.
        settings.queueLimit = Self.mostFetches
        // A fraction of the deadline, one or two seconds of processor time. An inspector never waits, so a longer computation is
        // a fault; the parsers' own budgets end before that.
        settings.processorTime = 0.25
        settings.recycleAfter = 10_000
        settings.measuresMemory = false
        return settings
    }
}
