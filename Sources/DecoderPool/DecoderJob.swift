// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DecoderProtocol
internal import Glibc
package import ImageHeaders
package import Kernel
package import Recipes

/// One picture to render.
package struct DecoderJob: Sendable {
    /// The picture that the decoder lays over the result.
    package struct Watermark: Sendable {
        /// The watermark's file, as `DecoderJob.input`.
        package var input: OwnedDescriptor
        /// The length in bytes.
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

    /// A regular file or a memory file, `inputLength` bytes from its start. Jobs that run at the same time may
    /// share it, because each decoder gets its own read-only open file description.
    package var input: OwnedDescriptor
    /// The length of the input in bytes.
    package var inputLength: Int
    /// The header that an inspector read from the original.
    package var header: ImageHeader
    /// The recipe, resolved for the original. Its `output` is `.auto` if lossless WebP may take the place of
    /// AVIF.
    package var recipe: Recipe
    /// Qualities and efforts that the recipe does not set.
    package var encoders: EncoderDefaults
    /// The treatment of a truncated picture.
    package var damaged: DamagedPicture
    /// The name of the engine in the rendition's key; nil if the result has no key.
    package var engine: String?
    /// An empty regular file or memory file, open for reading and writing, that belongs to this job alone. The decoder gets its
    /// own open file description, and must have closed it when it answers.
    package var output: OwnedDescriptor
    /// The most bytes of the rendition.
    package var outputLimit: Int
    /// The most pixels of the rendition, in all its frames together.
    package var pixelLimit: Int
    /// The watermark, if the recipe has one.
    package var watermark: Watermark?
    /// The bytes of memory for which the job was admitted.
    package var price: Int
    /// Counted from the moment a process has the job.
    package var deadline: Duration

    /// Limits and prices are in bytes, `pixelLimit` in pixels; nil means no watermark.
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

    /// Never nil, because each job's memory is compared with its price.
    package var account: JobAccount? {
        // A decoder maps the whole files that it reads.
        JobAccount(price: price, most: most, mapped: inputLength + (watermark?.length ?? 0)) {
            [header, recipe] process, memory in
            .measured(process: process, memory, of: header, recipe)
        }
    }

    /// The most memory that the job may take if its picture can hide memory: drawings contain pictures, texts and filters of any size,
    /// and the coded frames of AVIF, HEIC and JPEG XL may be larger than their header says. The bound is the price plus threads'
    /// stacks and a little more. A PDF has no such bound, because Poppler leaves out what it gets no memory for, and the incomplete
    /// page would be served.
    private var most: Int? {
        let formats = [header.format] + (watermark.map { [$0.header.format] } ?? [])
        guard !Self.hiding.isDisjoint(with: formats) else { return nil }
        return min(price, .max - Self.hiddenExtra) + Self.hiddenExtra
    }

    private static let hiding: Set<ImageFormat> = [.svg, .avif, .heic, .jxl]

    /// Bytes, most of them address space that is never touched.
    private static let hiddenExtra = 192 << 20

    /// False for a recipe whose spelling is longer than a message can hold, or is not parsed back to the same
    /// recipe.
    package var fitsMessage: Bool { WireJob.carries(recipe) }

    /// A `WireJob`, with an output limit of at most `settings.fileSize`.
    package func message(id: UInt64, _ settings: WorkerPoolSettings) -> [UInt8] {
        WireJob(
            id: id, header: header, recipe: recipe, defaults: encoders,
            inputLength: inputLength, outputLimit: min(outputLimit, settings.fileSize),
            pixelLimit: pixelLimit, damaged: damaged,
            watermark: watermark.map { .init(header: $0.header, inputLength: $0.length) }
        ).encoded
    }

    package static var longestAnswer: Int { Wire.longestMessage }

    /// Nil for a reply to another job, and for a rendition that contradicts its recipe or its file.
    package func answer(in message: [UInt8], id: UInt64) -> Result<Rendered, ImagingFailure>? {
        guard let reply = WireReply(message), reply.id == id else { return nil }
        guard case .success(let result) = reply.outcome else { return reply.outcome }
        do throws(SystemError) {
            return try isTaken(result) ? reply.outcome : nil
        } catch {
            // For example, a full disk behind a network reports the error late. The picture is not the cause.
            return .failure(.cannotWrite("\(error)"))
        }
    }

    /// Checks the file, once the process can no longer write to it, because until then its content may
    /// change.
    /// - Throws: if the file cannot be examined, or cut to its length.
    private func isTaken(_ result: Rendered) throws(SystemError) -> Bool {
        guard recipe.mayBecome(result, of: header, within: pixelLimit), result.length <= outputLimit,
            isLetGo, try isPicture(result, in: output)
        else { return false }
        // Bytes behind the picture are cut off, because nobody counts them. If there are none, the disk, which may
        // hang, is not touched.
        guard FileState(output.raw)?.size != result.length else { return true }
        guard ftruncate(output.raw, off_t(result.length)) == 0 else { throw .last("ftruncate") }
        return true
    }

    /// True if a file has at least the length that the process claims, and begins as the format does.
    ///
    /// The beginning is compared here and not by an inspector, because comparing twelve bytes with constants
    /// is safe, and takes one microsecond of every rendering instead of a hundred.
    /// - Throws: if the file cannot be examined.
    package func isPicture(_ result: Rendered, in file: OwnedDescriptor) throws(SystemError) -> Bool {
        var status = stat()
        guard fstat(file.raw, &status) == 0 else { throw .last("fstat") }
        guard result.length <= Int(status.st_size) else { return false }
        // Cannot trap: the count is a constant.
        var start = [UInt8](repeating: 0, count: ImageFormat.longestBeginning)
        let count = pread(file.raw, &start, min(start.count, result.length), 0)
        guard count >= 0 else { throw .last("pread") }
        // Cannot trap: `pread` returns no more than it was asked for.
        start.removeLast(start.count - count)
        return recipe.output == .json ? start.first == UInt8(ascii: "{") : result.format.begins(start)
    }

    /// False if the process can still write to its output, which may soon be served to everybody.
    ///
    /// A child of the daemon that is about to run another program holds copies of all descriptors until then (posix_spawn(3)),
    /// perhaps also of the writable one that was sent to the decoder. That takes about a millisecond, so the check is repeated
    /// each millisecond.
    private var isLetGo: Bool {
        for _ in 0..<Self.looks {
            if case .several = output.writers { usleep(1_000) } else { return true }
        }
        return false
    }

    private static let looks = 200

    /// Empties the output.
    package func restart() -> Bool { ftruncate(output.raw, 0) == 0 }

    /// False, because most jobs that miss their deadline are long or hostile.
    package static var hangsAreForgiven: Bool { false }
}
