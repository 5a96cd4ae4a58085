// SPDX-License-Identifier: Apache-2.0

package import DecoderPool
package import DecoderProtocol
internal import Glibc
internal import Imaging
internal import Kernel
package import Recipes
internal import Worker

/// The internal command `pictor decoder`. The daemon starts it with a socket at descriptor 3; it makes
/// pictures until the socket is closed.
package enum DecoderMain {
    /// Never returns. Must run before anything else in the process, while it has one thread and no
    /// descriptors of its own.
    /// - Parameters:
    ///   - arguments: the words after `decoder`, as `JailPolicy` and `DecoderStart` spell it.
    ///   - before: looks at each job first, and may answer it; for tests of the jail.
    package static func run(
        _ arguments: some Collection<String>,
        before: @escaping (DecoderChannel.Job) -> Result<Rendered, DecoderRefusal>? = { _ in nil }
    ) -> Never {
        var engine = ""
        let life = WorkerMain(arguments, as: "decoder") { start in
            do throws(ImagingFailure) {
                try Engine.start(reading: start.formats, writing: start.writes)
            } catch {
                WorkerMain.leave("the engine does not start: \(error)", EX_SOFTWARE)
            }
            engine = Engine.version(jpegLane: start.jpegLane)
        }
        Engine.reserveCode()
        do throws(SystemError) {
            try serve(life, engine, before)
        } catch {
            WorkerMain.leave("\(error)", EX_IOERR)
        }
    }

    private static func serve(
        _ life: WorkerMain, _ engine: String,
        _ before: (DecoderChannel.Job) -> Result<Rendered, DecoderRefusal>?
    ) throws(SystemError) -> Never {
        let channel = DecoderChannel()
        try life.open(channel, engine: engine)
        while true {
            switch try channel.next() {
            case .job(let job):
                let outcome = before(job) ?? render(job, jpegLane: life.start.jpegLane)
                if case .failure(let refusal) = outcome, refusal.isOfProcess {
                    WorkerMain.complain("\(refusal)")
                }
                // Before the reply, after which the daemon looks at this process's memory and at who can write to the output, and
                // may send another job.
                Engine.releaseMemory()
                job.letGo()
                try channel.send(WireReply(id: job.message.id, outcome: outcome))
            case .closed: exit(0)
            case .nonsense: WorkerMain.leave("a message that is no job", EX_PROTOCOL)
            }
        }
    }

    private static func render(
        _ job: DecoderChannel.Job, jpegLane: Bool
    ) -> Result<Rendered, DecoderRefusal> {
        let message = job.message
        var watermark: ImagingJob.Original?
        if let mark = message.watermark, let input = job.watermark {
            watermark = .init(input: input.raw, length: mark.inputLength, header: mark.header)
        }
        var order = ImagingJob(
            original: .init(input: job.input.raw, length: message.inputLength, header: message.header),
            watermark: watermark, recipe: message.recipe, defaults: message.defaults, output: job.output.raw,
            outputLimit: message.outputLimit, pixelLimit: message.pixelLimit, damaged: message.damaged)
        order.jpegLane = jpegLane
        // The order holds raw descriptor numbers, which stay open as long as the job lives.
        return withExtendedLifetime(job) {
            do throws(ImagingFailure) {
                return .success(try Engine.render(order))
            } catch {
                return .failure(DecoderRefusal(error))
            }
        }
    }
}

extension DecoderRefusal {
    fileprivate init(_ failure: ImagingFailure) {
        self =
            switch failure {
            case .unavailable(let words): .unavailable(words)
            case .damaged(let words): .damaged(words)
            case .formatNotAllowed: .formatNotAllowed
            case .drawingRefused(let words): .drawingRefused(words)
            case .outputTooLarge(let limit): .outputTooLarge(limit: limit)
            case .cannotWrite(let words): .cannotWrite(words)
            }
    }
}
