// SPDX-License-Identifier: Apache-2.0
//
// The daemon with a decoder that has been taken over: whenever the bytes of an original end with "mischief:" and a name,
// it tries what Mischief.h lists under that name, with the means of any code in that process. What works is answered
// with a good picture, so that a test sees it. And the daemon on a disk with bad sectors, see BadSectors.c.
//
// Built for the tests and never shipped.

import Daemon
import Decoder
import DecoderPool
import Dispatch
import Foundation
import Kernel
import Mischief

@main
enum HostilePictor {
    static func main() {
        let words = CommandLine.arguments
        if words.dropFirst().first == "decoder" { DecoderMain.run(words.dropFirst(2), before: attempt) }
        Task {
            do {
                let flags = Array(words.dropFirst(2))
                try await Application.run(try SettingsLoader.load(flags: flags, environment: [:], file: nil))
                exit(EXIT_SUCCESS)
            } catch {
                say("\(error)")
                exit(EXIT_FAILURE)
            }
        }
        dispatchMain()
    }

    private static func attempt(_ job: DecoderChannel.Job) -> DecoderRefusal? {
        guard let name = name(of: job), let words = mischief_words(name) else { return nil }
        let what = String(cString: words)
        say("mischief: will \(what)")
        let code = mischief_try(name, job.output.raw)
        if code == 0 { return nil }
        say("mischief: could not \(what): \(String(cString: strerror(code)))")
        return .damaged(what)
    }

    private static func name(of job: DecoderChannel.Job) -> String? {
        var tail = [UInt8](repeating: 0, count: 32)
        let start = max(job.message.inputLength - tail.count, 0)
        let count = pread(job.input.raw, &tail, tail.count, off_t(start))
        let text = String(decoding: tail.prefix(max(count, 0)), as: UTF8.self)
        return text.ranges(of: "mischief:").last.map { String(text[$0.upperBound...]) }
    }

    private static func say(_ words: String) {
        let line = words + "\n"
        write(STDERR_FILENO, line, line.utf8.count)
    }
}
