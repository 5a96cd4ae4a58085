// SPDX-License-Identifier: Apache-2.0

internal import CLinux
package import DecoderProtocol
internal import Glibc
package import ImageHeaders
package import Kernel
package import Recipes

/// One picture to make.
package struct DecoderJob: Sendable {
    /// The picture that the decoder lays over the result.
    package struct Watermark: Sendable {
        /// As the job's own.
        package var input: OwnedDescriptor
        /// Bytes.
        package var length: Int
        /// The header that an inspector read from the watermark.
        package var header: ImageHeader

        /// - Parameter length: bytes of `input`.
        package init(input: OwnedDescriptor, length: Int, header: ImageHeader) {
            self.input = input
            self.length = length
            self.header = header
        }
    }

    /// A regular file or a memory file, `inputLength` bytes from its start. It may be shared by jobs that run at
    /// the same time: each decoder gets its own read-only opening of it.
    package var input: OwnedDescriptor
    /// Bytes.
    package var inputLength: Int
    /// The header that an inspector read from the original.
    package var header: ImageHeader
    /// Resolved for the original: its `output` is `.auto` where lossless WebP may come in place of AVIF.
    package var recipe: Recipe
    /// Qualities and efforts for a recipe that names none.
    package var encoders: EncoderDefaults
    /// The treatment of a truncated picture.
    package var damaged: DamagedPicture
    /// The name of the engine that the rendition is keyed by; nil if it is not.
    package var engine: String?
    /// An empty regular file or memory file, open for reading and writing, that belongs to this job alone. The decoder gets its
    /// own opening of it, and must have closed that when it answers.
    package var output: OwnedDescriptor
    /// Bytes.
    package var outputLimit: Int
    /// Pixels of the rendition, in all its frames.
    package var pixelLimit: Int
    /// Where the recipe has one.
    package var watermark: Watermark?
    /// Bytes that it was admitted for.
    package var price: Int
    /// From the moment a process has the job.
    package var deadline: Duration

    /// Limits and prices are bytes, `pixelLimit` is pixels; a nil watermark leaves the result bare.
    package init(
        input: OwnedDescriptor, inputLength: Int, header: ImageHeader, recipe: Recipe,
        encoders: EncoderDefaults = EncoderDefaults(), damaged: DamagedPicture = .refuse,
        engine: String? = nil, output: OwnedDescriptor, outputLimit: Int, pixelLimit: Int,
        watermark: Watermark? = nil, price: Int, deadline: Duration
    ) {
        self.input = input
        self.inputLength = inputLength
        self.header = header
        self.recipe = recipe
        (self.encoders, self.damaged, self.engine) = (encoders, damaged, engine)
        self.output = output
        self.outputLimit = outputLimit
        self.pixelLimit = pixelLimit
        self.watermark = watermark
        self.price = price
        self.deadline = deadline
    }
}

extension DecoderJob: WorkerJob {
    /// Input, output and the watermark's input, in the order of `WireJob`.
    package var descriptors: [OwnedDescriptor] {
        get throws(SystemError) {
            var descriptors = [try input.reopenedForReading(), try output.reopenedForWriting()]
            if let watermark { descriptors.append(try watermark.input.reopenedForReading()) }
            return descriptors
        }
    }

    /// Never nil, because a decoder's memory is measured against the price of each job.
    package var account: JobAccount? {
        // A decoder maps the whole of what it reads.
        JobAccount(price: price, most: most, mapped: inputLength + (watermark?.length ?? 0)) {
            [header, recipe] process, memory in
            .measured(process: process, memory, of: header, recipe)
        }
    }

    /// A drawing can hold pictures, texts and filters of any size, which no header tells of; the frames that AVIF, HEIC and
    /// JPEG XL code may be larger than their header says. This bounds the memory that such a picture takes beyond its price:
    /// threads' stacks, and a little more. The pictures of a PDF have no such bound, because Poppler leaves out what it gets no memory
    /// for, and the page without it would be an answer.
    private var most: Int? {
        let formats = [header.format] + (watermark.map { [$0.header.format] } ?? [])
        guard !Self.hiding.isDisjoint(with: formats) else { return nil }
        return min(price, .max - Self.hiddenExtra) + Self.hiddenExtra
    }

    private static let hiding: Set<ImageFormat> = [.svg, .avif, .heic, .jxl]

    /// Most of it is address space that is never touched.
    private static let hiddenExtra = 192 << 20

    /// False for a recipe whose spelling is longer than a message holds, or is not read back as the same.
    package var fitsMessage: Bool { WireJob.carries(recipe) }

    /// A `WireJob`, with an output limit of at most `settings.fileSize`.
    package func message(id: UInt64, _ settings: DecoderPoolSettings) -> [UInt8] {
        WireJob(
            id: id, header: header, recipe: recipe, defaults: encoders,
            inputLength: inputLength, outputLimit: min(outputLimit, settings.fileSize),
            pixelLimit: pixelLimit, damaged: damaged,
            watermark: watermark.map { .init(header: $0.header, inputLength: $0.length) }
        ).encoded
    }

    package static var longestAnswer: Int { Wire.longestMessage }

    /// Nil for a reply to another job, and for a rendition that its recipe or its file contradicts.
    package func answer(in message: [UInt8], id: UInt64) -> Result<Rendered, DecoderRefusal>? {
        guard let reply = WireReply(message), reply.id == id else { return nil }
        guard case .success(let result) = reply.outcome else { return reply.outcome }
        do throws(SystemError) {
            return try isTaken(result) ? reply.outcome : nil
        } catch {
            // As of a disk that is full behind a network, which tells that late. The picture is not to blame.
            return .failure(.cannotWrite("\(error)"))
        }
    }

    /// The file is looked at once the process has let it go, since until then it may become another.
    /// - Throws: if the file cannot be looked at, or cut to its length.
    private func isTaken(_ result: Rendered) throws(SystemError) -> Bool {
        guard recipe.mayBecome(result, of: header, within: pixelLimit), result.length <= outputLimit,
            isLetGo, try isPicture(result, in: output)
        else { return false }
        // Nobody counts what lies behind the picture. Where nothing does, a disk that hangs is not asked for anything.
        guard FileState(output.raw)?.size != result.length else { return true }
        guard ftruncate(output.raw, off_t(result.length)) == 0 else { throw .last("ftruncate") }
        return true
    }

    /// True if a file has at least the bytes that the process claims, and begins as the format does.
    ///
    /// The beginning is compared here and not read by an inspector: twelve bytes against fixed ones cannot
    /// go wrong, and take a microsecond of every rendering in place of a hundred.
    /// - Throws: if the file cannot be looked at.
    package func isPicture(_ result: Rendered, in file: OwnedDescriptor) throws(SystemError) -> Bool {
        var status = stat()
        guard fstat(file.raw, &status) == 0 else { throw .last("fstat") }
        guard result.length <= Int(status.st_size) else { return false }
        // Cannot trap: a constant.
        var start = [UInt8](repeating: 0, count: ImageFormat.longestBeginning)
        let count = pread(file.raw, &start, min(start.count, result.length), 0)
        guard count >= 0 else { throw .last("pread") }
        // Cannot trap: no more were read than there are.
        start.removeLast(start.count - count)
        return recipe.output == .json ? start.first == UInt8(ascii: "{") : result.format.begins(start)
    }

    /// False if the process can still write to its output, which may soon be everybody's answer.
    ///
    /// A process of ours that is about to run another program holds copies of all descriptors until then (posix_spawn(3)), and so
    /// perhaps of the writable one that was on its way to the decoder. It needs a millisecond, so this looks again that often.
    private var isLetGo: Bool {
        for _ in 0..<Self.looks {
            if case .several = output.writers { usleep(1_000) } else { return true }
        }
        return false
    }

    private static let looks = 200

    /// Empties the output.
    package func restart() -> Bool { ftruncate(output.raw, 0) == 0 }

    /// Most jobs that miss their deadline are as long as they are hostile.
    package static var hangsAreForgiven: Bool { false }
}
