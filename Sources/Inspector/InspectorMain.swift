// SPDX-License-Identifier: Apache-2.0

package import DecoderPool
package import DecoderProtocol
internal import Glibc
internal import ImageHeaders
internal import Kernel
package import Worker

/// An inspector: a worker process that reads pictures' headers and metadata, and unpacks compressed originals, until its
/// socket is closed.
///
/// The parsers are memory-safe, and never trap as far as anybody knows. An unforeseen trap ends this process and costs
/// one answer. Of the decoder libraries that the program maps, only those for content codings see bytes of a file here:
/// zlib, and the decoders of Brotli and Zstandard.
package enum InspectorMain {
    /// Answers questions. Never returns.
    /// - Parameters:
    ///   - life: the life of this process, which is in its jail.
    ///   - before: sees each question first, and may answer it; for tests of the jail.
    package static func run(
        _ life: WorkerMain, before: (InspectorChannel.Job) -> Finding? = { _ in nil }
    ) -> Never {
        do throws(SystemError) {
            let channel = InspectorChannel()
            try life.open(channel, engine: "inspector")
            while true {
                switch try channel.next() {
                case .job(let job):
                    let finding = before(job) ?? inspect(job)
                    try channel.send(WireFinding(id: job.message.id, finding: finding))
                case .closed: exit(0)
                case .nonsense: WorkerMain.leave("a message that is no question", EX_PROTOCOL)
                }
            }
        } catch {
            WorkerMain.leave("\(error)", EX_IOERR)
        }
    }

    private static func inspect(_ job: InspectorChannel.Job) -> Finding {
        let file = OpenPicture(job.input, length: job.message.inputLength)
        let finding = found(in: file, job)
        return file.isUnreadable ? .unreadable : finding
    }

    private static func found(in file: OpenPicture, _ job: InspectorChannel.Job) -> Finding {
        switch job.message.question {
        case .unpack(let coding, let limit):
            guard let output = job.output else { return .cannotWrite }
            return Unpacking(of: file, into: output, limit: limit).run(coding)
        case .details(let header): return .details(ImageDetails.parse(file, header: header))
        case .header: return header(of: file) { .header($0) }
        case .description:
            return header(of: file) { .description($0, ImageDetails.parse(file, header: $0)) }
        case .page(let page):
            return header(of: file) { whole in
                TIFFPages.header(of: page, in: whole, file).map { Finding.header($0) } ?? .damaged
            }
        }
    }

    private static func header(of file: OpenPicture, _ found: (ImageHeader) -> Finding) -> Finding {
        do throws(ImageHeaderError) {
            var header = try ImageHeader.parse(file)
            header.mayNameRights = !PictureRights.read(file, header.format).isEmpty
            return found(header)
        } catch {
            switch error {
            case .notAnImage: return .notAnImage
            case .damaged: return .damaged
            }
        }
    }
}
