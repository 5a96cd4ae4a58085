// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import Glibc
internal import ImageModel
internal import Imaging
internal import Jail
internal import Kernel

/// `pictor decoder`: not for people. The daemon starts it with a socket at descriptor 3; it makes pictures until the
/// socket is closed.
enum DecoderCommand {
    /// - Parameter arguments: what follows `decoder`, as `DecoderStart` spells it.
    static func run(_ arguments: some Collection<String>) -> Never {
        guard let start = DecoderStart(arguments: arguments), isSocket(Wire.descriptor) else {
            leave("pictor decoder is started by pictor serve", EX_USAGE)
        }
        ignoreSignals()
        let jail = Jail.apply(
            JailPolicy(
                addressSpace: start.addressSpace, fileSize: start.fileSize,
                firstClosedDescriptor: UInt32(Wire.descriptor) + 1))
        // The daemon may have died before the kernel was asked to tell us.
        guard getppid() == start.parent else { exit(0) }
        for wall in jail.missing { complain("the jail lacks \(wall)") }
        do throws(ImagingFailure) {
            try Engine.start(reading: start.formats)
        } catch {
            leave("the engine does not start: \(error)", EX_SOFTWARE)
        }
        do throws(SystemError) {
            try serve(jail)
        } catch {
            leave("\(error)", EX_IOERR)
        }
    }

    /// Whoever stops the daemon by a signal to its group (a terminal, a service manager) leaves the rest to it: it
    /// drains first, and then closes our socket.
    private static func ignoreSignals() {
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { signal(number, SIG_IGN) }
    }

    private static func serve(_ jail: JailReport) throws(SystemError) -> Never {
        let channel = DecoderChannel()
        try channel.send(WireHello(engine: Engine.version, process: getpid(), jail: jail.holds))
        while true {
            switch try channel.next() {
            case .job(let job): try channel.send(WireReply(id: job.message.id, outcome: render(job)))
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
