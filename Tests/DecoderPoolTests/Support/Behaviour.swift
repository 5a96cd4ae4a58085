// SPDX-License-Identifier: Apache-2.0

@testable import DecoderPool
import Glibc
import ImageHeaders
import Kernel
import Recipes

/// The behaviour that a job asks of the double; the numbers are those of Tests/DecoderDouble.
enum Behaviour: Int {
    case answer = 1
    case refuse, raise, hang, talkNonsense, answerAnother, overstate, leave, fill, hold, talk, count,
        surrender, mislead, keep, map, compute, swap, hangUp, sendNothing, computeOn, computeAside
}

/// A pool with the double for tests: small, and with short patience for jobs.
func startPool(
    _ words: [String] = [], of zygote: Zygote? = nil, report events: Events? = nil,
    _ change: (inout WorkerPoolSettings) -> Void = { _ in }
) async throws -> DecoderPool {
    var settings = WorkerPoolSettings()
    settings.processes = 2
    settings.cancelGrace = .milliseconds(50)
    // These waits are generous unless a test is about them, because a process that is started, or told to leave, may be kept
    // waiting itself.
    (settings.startDeadline, settings.shutdownGrace) = (.seconds(60), .seconds(60))
    change(&settings)
    return try await DecoderPool.start(settings, of: zygote ?? double(words)) { events?.add($0) }.pool
}

/// A zygote whose forks are doubles.
func double(_ words: [String] = []) -> Zygote {
    var program = WorkerProgram()
    program.executable = doublePath
    program.arguments = words
    return Zygote(program)
}

/// The double is built next to the test bundle.
let doublePath: String = {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let path = String(decoding: buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
        separator: "/")
    return folder + "/decoder-double"
}()

func job(
    _ behaviour: Behaviour, _ number: Int = 1, input: String = "GIF89a:o", limit: Int = 1_000,
    deadline: Duration = .seconds(100)
) throws -> DecoderJob {
    let bytes = Array(input.utf8)
    return DecoderJob(
        input: try MemoryFile.descriptor(of: .bytes(ImmutableBytes(bytes))), inputLength: bytes.count,
        header: ImageHeader(format: .gif, width: behaviour.rawValue, height: number), recipe: Recipe(),
        output: try MemoryFile.empty(), outputLimit: limit, pixelLimit: 1_000_000_000, price: 1_000,
        deadline: deadline
    )
}

func contents(of file: OwnedDescriptor) -> String {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = pread(file.raw, &buffer, buffer.count, 0)
    return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
}

/// The beginning of the file at a path; empty if it cannot be opened.
func contents(at path: String) -> String {
    let file = open(path, O_RDONLY)
    return file >= 0 ? contents(of: OwnedDescriptor(adopting: file)) : ""
}

/// True once a process works on the job, because the double copies before it holds or hangs.
func hasBegun(_ job: DecoderJob) -> Bool { !contents(of: job.output).isEmpty }

/// Lets a held job go on.
func release(_ job: DecoderJob) { ftruncate(job.output.raw, 0) }

/// Checks repeatedly, for at most a minute, until the condition holds. For what the kernel does in its own
/// time.
func eventually(_ isSo: () -> Bool) async -> Bool {
    for _ in 0..<6_000 {
        if isSo() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return isSo()
}
