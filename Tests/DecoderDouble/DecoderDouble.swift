// SPDX-License-Identifier: Apache-2.0

internal import CSeccomp
internal import DecoderPool
internal import DecoderProtocol
internal import Glibc
import ImageHeaders
internal import Jail
internal import Kernel
internal import Recipes
internal import Worker

/// Plays a decoder process, as badly as a test asks it to. A job's `header.width` says how, `header.height` is a
/// number that goes with it; arguments say how it starts. A good answer copies the input, a GIF, to the
/// output and gives the process's id as the time that decoding took.
@main
enum DecoderDouble {
    /// The numbers are known to Tests/DecoderPoolTests/Support/Behaviour.swift.
    private enum Behaviour: Int {
        case answer = 1
        case refuse, raise, hang, talkNonsense, answerAnother, overstate, leave, fill, hold, talk, count,
            surrender, mislead, keep, map, compute, swap, hangUp, sendNothing, computeOn, computeAside
    }

    static func main() {
        let words = CommandLine.arguments
        if words.contains("leave-before-handshake") { exit(7) }
        if words.contains("never-handshake") { hang() }
        if words.contains("with-two-threads") { startThread() }
        if words.contains("with-shared-memory") {
            mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        }
        for call in ["clone", "unshare"] where words.contains("without-\(call)") { forbid(call) }
        if let word = words.firstIndex(of: "answers-no-fork-once") { forbidAnswer(once: words[word + 1]) }
        let wasSpoiled = isMarked("spoiled-by", words)
        // As a program finds the libraries that are installed when it is started.
        let engine = isMarked("upgraded-by", words) ? "double 2" : "double 1"
        _ = ZygoteMain.run()
        if isMarked("spoiled-by", words), !wasSpoiled { exit(7) }
        let jail = words.contains("jailed") ? jail(words) : nil
        let channel = DecoderChannel()
        do throws(SystemError) {
            try channel.send(
                WireHandshake(
                    engine: engine, process: getpid(), jail: jail?.holds ?? ["none"],
                    jailMissing: jail?.missing ?? []))
            if words.contains("leave-after-handshake") { exit(0) }
            while case .job(let job) = try channel.next() { try serve(job, channel) }
        } catch {
            exit(1)
        }
        if words.contains("stay-when-closed") { hang() }
    }

    /// Whether there is something in the file that the argument names: of `spoiled-by`, forks of a zygote that is older than
    /// that leave; of `upgraded-by`, those of a younger one have another engine.
    private static func isMarked(_ argument: String, _ words: [String]) -> Bool {
        guard let word = words.firstIndex(of: argument) else { return false }
        var status = stat()
        return stat(words[word + 1], &status) == 0 && status.st_size > 0
    }

    /// As by a container's filter that does not let the call pass.
    private static func forbid(_ call: String) {
        guard let filter = seccomp_init(pictor_seccomp_allow()) else { exit(2) }
        defer { seccomp_release(filter) }
        let number = seccomp_syscall_resolve_name(call)
        guard seccomp_rule_add_array(filter, pictor_seccomp_fail(UInt16(EPERM)), number, 0, nil) == 0,
            seccomp_load(filter) == 0
        else { exit(2) }
    }

    /// The kernel kills the zygote when it is to tell of its first fork, unless there is something in that file.
    private static func forbidAnswer(once path: String) {
        let mark = open(path, O_RDWR)
        var status = stat()
        guard mark >= 0, fstat(mark, &status) == 0 else { exit(2) }
        guard status.st_size == 0 else { return }
        guard ftruncate(mark, 1) == 0, let filter = seccomp_init(pictor_seccomp_allow()) else { exit(2) }
        defer { seccomp_release(filter) }
        let send = seccomp_syscall_resolve_name("sendmsg")
        guard seccomp_rule_add_array(filter, pictor_seccomp_kill(), send, 0, nil) == 0,
            seccomp_load(filter) == 0
        else { exit(2) }
    }

    private static func jail(_ words: [String]) -> JailReport {
        guard let policy = JailPolicy(arguments: words.dropLast(DecoderStart.words).suffix(JailPolicy.words))
        else {
            exit(2)
        }
        return Jail.enter(policy) + Jail.shut(policy)
    }

    private static func serve(_ job: DecoderChannel.Job, _ channel: DecoderChannel) throws(SystemError) {
        let number = job.message.header.height
        let id = job.message.id
        switch Behaviour(rawValue: job.message.header.width) {
        case .answer: try send(answer(job), of: job, channel)
        case .refuse: try channel.send(WireReply(id: id, outcome: .failure(.damaged("bad bytes"))))
        case .surrender:
            let refusal = number == 2 ? ImagingFailure.encoderFailed("it gave up") : .unavailable("no memory")
            try channel.send(WireReply(id: id, outcome: .failure(refusal)))
        case .raise: Glibc.raise(Int32(number))
        case .hang:
            _ = answer(job)
            hang()
        case .talkNonsense: Glibc.send(Wire.descriptor, [1, 2, 3] as [UInt8], 3, 0)
        case .answerAnother: try send(answer(job, id: id &+ 1), of: job, channel)
        case .overstate: try send(answer(job, excess: number), of: job, channel)
        case .leave, .none: exit(0)
        case .fill: try send(fill(job, number), of: job, channel)
        case .hold:
            _ = answer(job)
            // Until the test empties the output.
            while size(of: job.output) > 0 { usleep(1_000) }
            lseek(job.input.raw, 0, SEEK_SET)
            try send(answer(job), of: job, channel)
        case .talk:
            for index in 0..<number { say("word \(index)\u{1B}[31m\n") }
            try send(answer(job), of: job, channel)
        case .count: try send(answer(job, decoding: openDescriptors()), of: job, channel)
        case .keep:
            _ = dup(job.output.raw)
            try send(answer(job), of: job, channel)
        case .map:
            _ = mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_SHARED, job.output.raw, 0)
            try send(answer(job), of: job, channel)
        case .compute:
            // Milliseconds of processor time.
            while clock() < number * (CLOCKS_PER_SEC / 1_000) {}
            try send(answer(job), of: job, channel)
        case .hangUp:
            close(Wire.descriptor)
            hang()
        case .sendNothing:
            Glibc.send(Wire.descriptor, [] as [UInt8], 0, 0)
            hang()
        case .computeOn:
            try send(answer(job), of: job, channel)
            // A processor's time does not end.
            while clock() >= 0 {}
        case .computeAside:
            var thread = pthread_t()
            pthread_create(&thread, nil, { _ in DecoderDouble.computeNowAndThen() }, nil)
            hang()
        case .mislead: try send(mislead(job, number), of: job, channel)
        case .swap:
            try channel.send(answer(job))
            // The daemon waits for the file to be let go.
            usleep(50_000)
            pwrite(job.output.raw, "<svg/>", 6, 0)
            job.letGo()
        }
    }

    private static func send(
        _ reply: WireReply, of job: DecoderChannel.Job, _ channel: DecoderChannel
    ) throws(SystemError) {
        job.letGo()
        try channel.send(reply)
    }

    private static func answer(
        _ job: DecoderChannel.Job, id: UInt64? = nil, excess: Int = 0, decoding: Int = Int(getpid())
    ) -> WireReply {
        // By read(2) and not pread(2): two jobs with one input must not share an offset.
        var buffer = [UInt8](repeating: 0, count: job.message.inputLength)
        let count = read(job.input.raw, &buffer, buffer.count)
        let written = pwrite(job.output.raw, buffer, max(count, 0), 0)
        let result = Rendered(
            format: .gif, width: 1, height: 1, pages: 1, length: max(written, 1) + excess,
            decoding: decoding, encoding: 22)
        return WireReply(id: id ?? job.message.id, outcome: .success(result))
    }

    private static func size(of file: OwnedDescriptor) -> Int {
        var status = stat()
        return fstat(file.raw, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Writes `length` bytes, or as many as it may.
    private static func fill(_ job: DecoderChannel.Job, _ length: Int) -> WireReply {
        let bytes = Array("GIF89a".utf8) + [UInt8](repeating: 7, count: length)
        var written = 0
        while written < length {
            let count = write(job.output.raw, bytes, length - written)
            if count <= 0 { break }
            written += count
        }
        let result = Rendered(
            format: .gif, width: 1, height: 1, pages: 1, length: max(written, 1), decoding: 0, encoding: 0)
        return WireReply(id: job.message.id, outcome: .success(result))
    }

    /// An answer that is good but for one thing.
    private static func mislead(_ job: DecoderChannel.Job, _ number: Int) -> WireReply {
        let reply = answer(job)
        guard case .success(var result) = reply.outcome else { return reply }
        switch number {
        case 1: result.format = .svg
        case 2: result.format = .jpeg
        case 3: pwrite(job.output.raw, "<svg/>", 6, 0)
        case 4: result.pages = 2
        case 5: result.width = 65_536
        case 6: (result.width, result.height) = (65_535, 65_535)
        case 8: pwrite(job.output.raw, "more", 4, 1_000)
        default: break
        }
        return WireReply(id: job.message.id, outcome: .success(result))
    }

    private static func openDescriptors() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return count
    }

    private static func say(_ words: String) { write(STDERR_FILENO, words, words.utf8.count) }

    private static func startThread() {
        var thread = pthread_t()
        pthread_create(&thread, nil, { _ in DecoderDouble.hang() }, nil)
    }

    private static func hang() -> Never { while true { pause() } }

    /// As a thread that others keep from the processor for most of the time.
    private static func computeNowAndThen() -> Never {
        while true {
            let start = clock()
            while clock() - start < CLOCKS_PER_SEC / 1_000 {}
            usleep(19_000)
        }
    }
}
