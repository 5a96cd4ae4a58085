// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import Glibc
internal import ImageHeaders
internal import Planar
internal import Recipes

/// The original's bytes as a mapping: nothing is copied, and the page cache is shared with the daemon that wrote the
/// file. The descriptor's offset is not used, because other processes that hold the same file can move it.
///
/// An original is complete and never changes, so the mapped file cannot be truncated meanwhile.
final class Source {
    private let bytes: UnsafeMutableRawPointer
    private let length: Int
    private let source: OpaquePointer
    /// The source that owns the mapping; nil if this one does.
    private let whole: Source?
    private let damaged: DamagedPicture
    /// True if the last marker of a JPEG was appended by us, and the data before it have not been checked
    /// yet.
    private var mayBreakOff = false
    /// True once a JPEG's scans have been counted.
    private var hasFewScans = false
    /// The file's description of its colours, other than an ICC profile.
    let colours: ColourDescription?
    /// The picture's rights for the result's metadata; empty unless the recipe asks for them.
    let rights: PictureRights
    /// The crop and turn of a HEIF that libheif would not apply correctly; nil if libheif applies them.
    let turn: ISOMediaTurn?

    init(_ job: ImagingJob) throws(ImagingFailure) {
        let original = job.original
        let format = original.header.format
        var length = original.length
        var bytes = try Self.map(original)
        if format == .jpeg, job.damaged == .refuse,
            let mended = JPEGContainer.mended(
                UnsafeRawBufferPointer(start: bytes, count: length), original.input)
        {
            munmap(bytes, length)
            bytes = mended.file.baseAddress.unsafelyUnwrapped
            length = mended.file.count
            mayBreakOff = !mended.isKnownWhole
        }
        let file = UnsafeRawBufferPointer(start: bytes, count: length)
        colours = Self.colours(file, format)
        turn = [.avif, .heic].contains(format) ? ISOMediaTurn.leftToUs(MappedFile(bytes: file)) : nil
        rights =
            job.recipe.metadata == .copyright
            ? PictureRights.read(MappedFile(bytes: file), format) : PictureRights()
        // A drawing that is served as a drawing keeps its shadows.
        let shadows =
            format == .svg && !job.recipe.keepsDrawing(of: original.header)
            ? DropShadow.unknown(in: file) : []
        do throws(ImagingFailure) {
            try Self.amend(file, format, turn, shadows)
        } catch {
            munmap(bytes, length)
            throw error
        }
        guard let source = cvips_source_memory(bytes, length) else {
            munmap(bytes, length)
            throw .unavailable(Picture.error())
        }
        self.bytes = bytes
        self.length = length
        self.source = source
        whole = nil
        damaged = job.damaged
    }

    private static func map(
        _ original: ImagingJob.Original
    ) throws(ImagingFailure) -> UnsafeMutableRawPointer {
        var status = stat()
        let length = original.length
        guard length > 0, fstat(original.input, &status) == 0, Int(status.st_size) >= length else {
            throw .damaged("the original is shorter than announced")
        }
        let flags = MAP_PRIVATE | Int32(MAP_POPULATE)
        guard let bytes = mmap(nil, length, PROT_READ, flags, original.input, 0), bytes != MAP_FAILED else {
            throw .unavailable("mmap: \(String(cString: strerror(errno)))")
        }
        return bytes
    }

    /// Patches what libvips must not read unchanged. The mapping is private, so the changes stay in this process.
    private static func amend(
        _ file: UnsafeRawBufferPointer, _ format: ImageFormat, _ turn: ISOMediaTurn?, _ shadows: [Int]
    ) throws(ImagingFailure) {
        let changes = changes(of: file, format, turn, shadows)
        guard !changes.isEmpty else { return }
        let writable = UnsafeMutableRawBufferPointer(mutating: file)
        guard mprotect(writable.baseAddress, writable.count, PROT_READ | PROT_WRITE) == 0 else {
            throw .unavailable("mprotect: \(String(cString: strerror(errno)))")
        }
        for change in changes { change(writable) }
    }

    private typealias Change = (UnsafeMutableRawBufferPointer) -> Void

    /// The patches: a PNG's metadata, a GIF's holes, a drawing's shadows, and a HEIF's references, range, crop, turn and open
    /// box.
    private static func changes(
        of file: UnsafeRawBufferPointer, _ format: ImageFormat, _ turn: ISOMediaTurn?, _ shadows: [Int]
    ) -> [Change] {
        switch format {
        case .png: return [PNGContainer.muteMetadata]
        case .gif: return [GIFContainer.openHoles]
        case .svg: return shadows.isEmpty ? [] : [{ DropShadow.leaveOut(shadows, of: $0) }]
        case .avif, .heic: break
        default: return []
        }
        let picture = MappedFile(bytes: file)
        var changes: [Change] = []
        let references = ISOMediaReferences.needless(picture)
        if !references.isEmpty { changes.append { HEIFContainer.mute(references, in: $0) } }
        let limits = ISOMediaRange.misstated(picture)
        if !limits.isEmpty { changes.append { HEIFContainer.widen(limits, in: $0) } }
        if let turn { changes.append { HEIFContainer.straighten(turn.places, in: $0) } }
        if let openBox = ISOMediaOpenBox.meta(picture) {
            changes.append { HEIFContainer.close(openBox, in: $0) }
        }
        return changes
    }

    /// A picture within a file, at a range that the file has.
    init(_ place: Range<Int>, of whole: Source) throws(ImagingFailure) {
        precondition(place.lowerBound >= 0 && place.upperBound <= whole.length)
        bytes = whole.bytes + place.lowerBound
        length = place.count
        guard let source = cvips_source_memory(bytes, length) else { throw .unavailable(Picture.error()) }
        self.source = source
        self.whole = whole
        (damaged, colours, rights, turn) = (.refuse, nil, PictureRights(), nil)
    }

    deinit {
        cvips_source_release(source)
        if whole == nil { munmap(bytes, length) }
    }

    private static func colours(_ file: UnsafeRawBufferPointer, _ format: ImageFormat) -> ColourDescription? {
        switch format {
        case .png: PNGColours.read(MappedFile(bytes: file))
        case .avif, .heic: ISOMediaColours.read(MappedFile(bytes: file))
        case .jxl: JXLColours.read(MappedFile(bytes: file))
        default: nil
        }
    }

    /// The file with its patches: unneeded parts of a PNG or a HEIF are muted; a GIF names its holes; a JPEG has its end marker;
    /// a drawing lacks the shadows that librsvg does not know; an open box of a HEIF has its size, and the HEIF's range, crop or
    /// turn may be changed.
    var file: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: length) }

    /// Runs `work` while the GIF's screen is patched, if needed, so that libnsgif uses its size
    /// (`GIFContainer.widenScreen`).
    /// - Parameter work: receives whether the screen is a pixel wider.
    func withWholeScreen<Value>(
        _ work: (_ isWidened: Bool) throws(ImagingFailure) -> Value
    ) throws(ImagingFailure) -> Value {
        let file = UnsafeMutableRawBufferPointer(start: bytes, count: length)
        let width = GIFContainer.widenScreen(file)
        defer { if let width { GIFContainer.setWidth(file, width) } }
        return try work(width != nil)
    }

    /// Records that `Planar` has decoded the file to its end.
    func markWhole() { mayBreakOff = false }

    /// Refuses a JPEG whose data break off. libvips could not tell, because it would take our marker for the
    /// file's own.
    private func refuseBrokenOff() throws(ImagingFailure) {
        guard mayBreakOff else { return }
        guard let jpeg = try? PlanarJPEG(file), jpeg.isWhole else { throw .damaged("the scan breaks off") }
        mayBreakOff = false
    }

    /// The most scans of a JPEG that libvips gets, because each scan costs the time of all blocks, however few bytes it has.
    /// Progressive files have about ten; `Planar` reads 64.
    static let mostScans = 128

    private func refuseManyScans() throws(ImagingFailure) {
        guard !hasFewScans else { return }
        guard JPEGContainer.scans(file, upTo: Self.mostScans) <= Self.mostScans else {
            throw .damaged("too many scans")
        }
        hasFewScans = true
    }

    /// Reads the header with the chosen loader; pixels are decoded when they are asked for. The source must
    /// outlive the picture.
    func load(
        _ loader: cvips_loader, page: Int = 0, pages: Int = 1, shrink: Int = 1, scale: Double = 1,
        thumbnail: Bool = false
    ) throws(ImagingFailure) -> Picture {
        try refuseBrokenOff()
        if loader == CVIPS_JPEG { try refuseManyScans() }
        var options = cvips_load_options()
        options.loader = loader
        options.page = Int32(page)
        options.pages = Int32(pages)
        options.shrink = Int32(shrink)
        options.scale = scale
        options.thumbnail = thumbnail
        options.shows_damaged = damaged == .show
        return try Picture(cvips_load(source, &options))
    }
}
