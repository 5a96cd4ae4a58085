// SPDX-License-Identifier: Apache-2.0

package import DecoderPool
package import DecoderProtocol
internal import Glibc
internal import Imaging
internal import Kernel
package import Recipes
package import Worker

/// A decoder: a worker process that renders pictures until its socket is closed.
package enum DecoderMain {
    /// Starts the engine in the process from which the workers are forked. Ends the process if the engine does
    /// not start.
    /// - Returns: the engine's name.
    package static func prepare(_ start: DecoderStart) -> String {
        do throws(ImagingFailure) {
            try Engine.start(reading: start.formats, writing: start.writes)
        } catch {
            WorkerMain.leave("the engine does not start: \(error)", EX_SOFTWARE)
        }
        return Engine.version(jpegLane: start.jpegLane)
    }

    /// Serves jobs. Never returns.
    /// - Parameters:
    ///   - life: the life of this process, which is in its jail.
    ///   - before: sees each job first, and may answer it; for tests of the jail.
    package static func run(
        _ life: WorkerMain,
        before: @escaping (WorkerChannel<WireJob>.Job) -> Result<Rendered, ImagingFailure>? = { _ in nil }
    ) -> Never {
        Engine.reserveCode()
        do throws(SystemError) {
            try serve(life, before)
        } catch {
            WorkerMain.leave("\(error)", EX_IOERR)
        }
    }

    private static func serve(
        _ life: WorkerMain, _ before: (DecoderChannel.Job) -> Result<Rendered, ImagingFailure>?
    ) throws(SystemError) -> Never {
        let channel = DecoderChannel()
        try life.open(channel, engine: life.engine)
        while true {
            switch try channel.next() {
            case .job(let job):
                let outcome = before(job) ?? render(job, jpegLane: life.start.jpegLane)
                if case .failure(let refusal) = outcome, refusal.isOfProcess || refusal.isOfOutput {
                    WorkerMain.complain("\(refusal)")
                }
                // Memory and files are released before the reply, because after it the daemon measures this process's memory,
                // checks who can write to the output, and may send another job.
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
    ) -> Result<Rendered, ImagingFailure> {
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
        // `order` holds raw descriptor numbers, which stay open as long as `job` lives.
        return withExtendedLifetime(job) {
            do throws(ImagingFailure) {
                return .success(try Engine.render(order))
            } catch {
                return .failure(error)
            }
        }
    }
}
