// SPDX-License-Identifier: Apache-2.0

internal import CLinux
package import DecoderProtocol
internal import Glibc
package import ImageHeaders
package import Kernel
package import Recipes

/// One picture to make.
package struct DecoderJob: Sendable {
    /// What is laid over the result.
    package struct Watermark: Sendable {
        /// As the job's own.
        package var input: OwnedDescriptor
        /// Bytes.
        package var length: Int
        package var header: ImageHeader

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
    package var header: ImageHeader
    /// `output` is `.source` or `.format`.
    package var recipe: Recipe
    /// An empty regular file or memory file, open for writing at 0, that belongs to this job alone.
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

    package init(
        input: OwnedDescriptor, inputLength: Int, header: ImageHeader, recipe: Recipe,
        output: OwnedDescriptor, outputLimit: Int, pixelLimit: Int, watermark: Watermark? = nil,
        price: Int, deadline: Duration
    ) {
        self.input = input
        self.inputLength = inputLength
        self.header = header
        self.recipe = recipe
        self.output = output
        self.outputLimit = outputLimit
        self.pixelLimit = pixelLimit
        self.watermark = watermark
        self.price = price
        self.deadline = deadline
    }
}

extension DecoderJob: WorkerJob {
    package var descriptors: [OwnedDescriptor] {
        get throws(SystemError) {
            var descriptors = [try input.reopenedForReading(), output]
            if let watermark { descriptors.append(try watermark.input.reopenedForReading()) }
            return descriptors
        }
    }

    package var account: JobAccount? {
        // A decoder maps the whole of what it reads.
        JobAccount(price: price, mapped: inputLength + (watermark?.length ?? 0)) {
            [header, recipe] process, memory in
            .measured(process: process, memory, of: header, recipe)
        }
    }

    package var fitsMessage: Bool { WireJob.carries(recipe) }

    package func message(id: UInt64, _ settings: DecoderPoolSettings) -> [UInt8] {
        WireJob(
            id: id, header: header, recipe: recipe, defaults: settings.encoders,
            inputLength: inputLength, outputLimit: min(outputLimit, settings.fileSize),
            pixelLimit: pixelLimit, damaged: settings.damaged,
            watermark: watermark.map { .init(header: $0.header, inputLength: $0.length) }
        ).encoded
    }

    package static var longestAnswer: Int { Wire.longestMessage }

    package func answer(in message: [UInt8], id: UInt64) -> Result<Rendered, DecoderRefusal>? {
        guard let reply = WireReply(message), reply.id == id else { return nil }
        if case .success(let result) = reply.outcome, !isPlausible(result) { return nil }
        return reply.outcome
    }

    /// A picture as it was ordered, which has at least the bytes that the process claims, and not more than
    /// were allowed, and begins as its format does.
    ///
    /// The beginning is compared here and not read by an inspector: twelve bytes against fixed ones cannot
    /// go wrong, and take a microsecond of every rendering in place of a hundred.
    private func isPlausible(_ result: Rendered) -> Bool {
        var status = stat()
        guard recipe.mayBecome(result, of: header, within: pixelLimit), fstat(output.raw, &status) == 0,
            result.length <= outputLimit, result.length <= Int(status.st_size)
        else { return false }
        // Cannot trap: a constant.
        var start = [UInt8](repeating: 0, count: ImageFormat.longestBeginning)
        let count = pread(output.raw, &start, min(start.count, result.length), 0)
        // Cannot trap: no more were read than there are.
        start.removeLast(start.count - max(0, count))
        return recipe.output == .json ? start.first == UInt8(ascii: "{") : result.format.begins(start)
    }

    package func restart() -> Bool {
        ftruncate(output.raw, 0) == 0 && lseek(output.raw, 0, SEEK_SET) == 0
    }

    /// Most jobs that miss their deadline are as long as they are hostile.
    package static var hangsAreForgiven: Bool { false }
}
