// SPDX-License-Identifier: Apache-2.0
//
// The daemon with worker processes that have been taken over: whenever the bytes of an original end with
// "mischief:" and a name, the decoder tries what Mischief.h lists under that name, with the means of any
// code in that process; with "inspector:", the inspector does. What works is answered with a good picture,
// so that a test sees it. With "decoder-lie:" or "inspector-lie:" and a name, it answers what is not so.
// And the daemon on a disk with bad sectors, see BadSectors.c.
//
// Built for the tests and never shipped.

import Daemon
import Decoder
import DecoderPool
import DecoderProtocol
import Dispatch
import Foundation
import ImageHeaders
import Inspector
import Kernel
import Mischief
import Recipes
import Settings
import Worker

@main
enum HostilePictor {
    static func main() {
        let words = CommandLine.arguments
        switch words.dropFirst().first {
        case "worker": work(words.dropFirst(2))
        case "without-landlock": runWithoutLandlock(Array(words.dropFirst(2)))
        default: break
        }
        Task {
            do {
                let flags = Array(words.dropFirst(2))
                let load = { @Sendable () throws(SettingsLoader.Mistakes) in
                    try SettingsLoader.load(flags: flags, environment: [:], file: nil)
                }
                try await Application.run(try load(), load: load)
                exit(EXIT_SUCCESS)
            } catch {
                say("\(error)")
                exit(EXIT_FAILURE)
            }
        }
        dispatchMain()
    }

    private static func work(_ arguments: ArraySlice<String>) -> Never {
        let life = WorkerMain(arguments, prepare: DecoderMain.prepare)
        switch life.kind {
        case .decoder: DecoderMain.run(life, before: attempt)
        case .inspector: InspectorMain.run(life, before: answer)
        }
    }

    /// `hostile-pictor without-landlock pictor serve …`: the real program on a lesser kernel.
    private static func runWithoutLandlock(_ words: [String]) -> Never {
        let arguments = words.map { strdup($0) } + [nil]
        _ = mischief_run_without_landlock(words.first ?? "", arguments)
        say("cannot run \(words)")
        exit(EXIT_FAILURE)
    }

    private static func attempt(_ job: DecoderChannel.Job) -> Result<Rendered, ImagingFailure>? {
        let length = job.message.inputLength
        if let name = name(after: "mischief:", in: job.input, length), let words = mischief_words(name) {
            let what = String(cString: words)
            return attempt(name, what, job.output) ? nil : .failure(.damaged(what))
        }
        return name(after: "decoder-lie:", in: job.input, length).map { .success(lie($0, job)) }
    }

    /// The picture that was ordered, a JPEG of 30 × 20, but for one thing.
    private static func lie(_ name: String, _ job: DecoderChannel.Job) -> Rendered {
        var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 0]
        var made = Rendered(
            format: .jpeg, width: 30, height: 20, pages: 1, length: 6, decoding: 0, encoding: 0)
        let drawing = Array("<svg onload='alert(1)' xmlns='http://www.w3.org/2000/svg'/>".utf8)
        switch name {
        case "drawing": (bytes, made.format, made.length) = (drawing, .svg, drawing.count)
        case "drawing-as-jpeg": (bytes, made.length) = (drawing, drawing.count)
        case "png": made.format = .png
        case "wider": made.width = 33
        case "higher": made.height = 3_000
        case "pages": made.pages = 2
        case "longer": made.length = 7
        // Microseconds: a day.
        case "slow": (made.decoding, made.encoding) = (86_400_000_000, 86_400_000_000)
        default: break
        }
        pwrite(job.output.raw, bytes, bytes.count, 0)
        return made
    }

    private static func answer(_ question: InspectorChannel.Job) -> Finding? {
        let (file, length) = (question.input, question.message.inputLength)
        if let name = name(after: "inspector:", in: file, length), let words = mischief_words(name) {
            return attempt(name, String(cString: words), nil) ? nil : .damaged
        }
        return name(after: "inspector-lie:", in: file, length).flatMap {
            lie($0, asked: question.message.question)
        }
    }

    private static func lie(_ name: String, asked question: InspectorQuestion) -> Finding? {
        var header = ImageHeader(format: .png, width: 120, height: 80)
        switch name {
        case "huge": (header.width, header.height) = (Int(Int32.max), Int(Int32.max))
        case "larger": header.width = 1 << 31
        case "none": header.width = 0
        case "turned": header.orientation = 200
        case "pages": header.pages = Int(Int32.max)
        case "details": return .details(ImageDetails())
        case "format": header.format = .svg
        default: return nil
        }
        return question == .description ? .description(header, ImageDetails()) : .header(header)
    }

    /// True: it worked.
    private static func attempt(_ name: String, _ what: String, _ output: OwnedDescriptor?) -> Bool {
        say("mischief: will \(what)")
        let code = mischief_try(name, output?.raw ?? -1)
        if code != 0 { say("mischief: could not \(what): \(String(cString: strerror(code)))") }
        return code == 0
    }

    private static func name(after mark: String, in file: OwnedDescriptor, _ length: Int) -> String? {
        var tail = [UInt8](repeating: 0, count: 40)
        let start = max(length - tail.count, 0)
        let count = pread(file.raw, &tail, tail.count, off_t(start))
        let text = String(decoding: tail.prefix(max(count, 0)), as: UTF8.self)
        return text.ranges(of: mark).last.map { String(text[$0.upperBound...]) }
    }

    private static func say(_ words: String) {
        let line = words + "\n"
        write(STDERR_FILENO, line, line.utf8.count)
    }
}
