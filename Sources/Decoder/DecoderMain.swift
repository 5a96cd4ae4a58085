// SPDX-License-Identifier: Apache-2.0

package import DecoderPool
internal import Glibc
internal import ImageModel
internal import Imaging
internal import Jail
internal import Kernel

/// `pictor decoder`: not for people. The daemon starts it with a socket at descriptor 3; it makes pictures until the
/// socket is closed.
package enum DecoderMain {
    /// To be called before anything else in the process, which has one thread and no descriptors of its own then.
    /// - Parameters:
    ///   - arguments: what follows `decoder`, as `JailPolicy` and `DecoderStart` spell it.
    ///   - before: looks at each job first, and may refuse it; for tests of the jail.
    package static func run(
        _ arguments: some Collection<String>,
        before: @escaping (DecoderChannel.Job) -> DecoderRefusal? = { _ in nil }
    ) -> Never {
        guard let start = DecoderStart(arguments: arguments.suffix(DecoderStart.words)),
            let policy = JailPolicy(arguments: arguments.dropLast(DecoderStart.words)),
            isSocket(Wire.descriptor)
        else { leave("pictor decoder is started by pictor serve", EX_USAGE) }
        ignoreSignals()
        var jail = Jail.enter(policy)
        // The daemon may have died before the kernel was asked to tell us.
        guard getppid() == start.parent else { exit(0) }
        do throws(ImagingFailure) {
            try Engine.start(reading: start.formats)
        } catch {
            leave("the engine does not start: \(error)", EX_SOFTWARE)
        }
        jail = jail + Jail.shut(policy)
        if policy.mode == .require, !jail.lacking.isEmpty {
            leave("the jail is required and lacks \(jail.lacking.joined(separator: ", "))", EX_UNAVAILABLE)
        }
        do throws(SystemError) {
            try serve(jail, before)
        } catch {
            leave("\(error)", EX_IOERR)
        }
    }

    /// Whoever stops the daemon by a signal to its group (a terminal, a service manager) leaves the rest to it: it
    /// drains first, and then closes our socket.
    private static func ignoreSignals() {
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { signal(number, SIG_IGN) }
    }

    private static func serve(
        _ jail: JailReport, _ before: (DecoderChannel.Job) -> DecoderRefusal?
    ) throws(SystemError) -> Never {
        let channel = DecoderChannel()
        try channel.send(
            WireHello(engine: Engine.version, process: getpid(), jail: jail.holds, jailLacks: jail.missing))
        while true {
            switch try channel.next() {
            case .job(let job):
                let outcome = before(job).map { .failure($0) } ?? render(job)
                if case .failure(let refusal) = outcome, refusal.isOfProcess { complain("\(refusal)") }
                try channel.send(WireReply(id: job.message.id, outcome: outcome))
            case .closed: exit(0)
            case .nonsense: leave("a message that is no job", EX_PROTOCOL)
            }
        }
    }

    private static func render(_ job: DecoderChannel.Job) -> Result<Rendered, DecoderRefusal> {
        guard let recipe = try? Recipe(canonical: job.message.recipe) else {
            return .failure(.unavailable("no recipe: \(job.message.recipe)"))
        }
        let message = job.message
        var watermark: ImagingJob.Original?
        if let mark = message.watermark, let input = job.watermark {
            watermark = .init(input: input.raw, length: mark.inputLength, header: mark.header)
        }
        let order = ImagingJob(
            original: .init(input: job.input.raw, length: message.inputLength, header: message.header),
            watermark: watermark, recipe: recipe, defaults: message.defaults, output: job.output.raw,
            outputLimit: message.outputLimit, pixelLimit: message.pixelLimit, damaged: message.damaged)
        // The numbers in the order are good as long as the job is.
        return withExtendedLifetime(job) {
            do throws(ImagingFailure) {
                return .success(try Engine.render(order))
            } catch {
                return .failure(DecoderRefusal(error))
            }
        }
    }

    private static func isSocket(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    private static func complain(_ words: String) {
        let line = "\(words)\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
    }

    private static func leave(_ words: String, _ code: Int32) -> Never {
        complain(words)
        exit(code)
    }
}

extension DecoderRefusal {
    fileprivate init(_ failure: ImagingFailure) {
        self =
            switch failure {
            case .unavailable(let words): .unavailable(words)
            case .damaged(let words): .damaged(words)
            case .formatNotAllowed: .formatNotAllowed
            case .outputTooLarge(let limit): .outputTooLarge(limit: limit)
            case .cannotWrite(let words): .cannotWrite(words)
            }
    }
}
