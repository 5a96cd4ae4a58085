// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageModel
import Kernel
import Testing

@testable import DecoderPool

@Suite struct JailTests {
    @Test func `every wall that a decoder asks for stands, and the kernel says so too`() async throws {
        let events = Events()
        let pool = try await startPool(["jailed"], report: events) { $0.fileSize = 500 }
        let hello = try #require(events.hellos.first)
        #expect(
            hello.jail == [
                "parent-death", "descriptors", "umask", "nice", "oom-score", "no-core", "open-files",
                "file-size",
                "address-space", "no-new-privileges", "not-dumpable",
            ])
        let status = read("/proc/\(hello.process)/status")
        #expect(status.contains("\nNoNewPrivs:\t1\n"))
        #expect(status.contains("\nUmask:\t0077\n"))
        #expect(read("/proc/\(hello.process)/oom_score_adj") == "500\n")
        let limits = read("/proc/\(hello.process)/limits").split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        #expect(limits.contains("Max core file size 0 0 bytes"))
        #expect(limits.contains("Max file size 500 500 bytes"))
        #expect(limits.contains("Max open files 64 64 files"))
        #expect(limits.contains("Max address space 2147483648 2147483648 bytes"))
        #expect(niceness(of: "\(hello.process)") == niceness(of: "self").map { $0 + 5 })
        await pool.shutDown()
    }

    @Test func `an output can grow to the limit and no further, and the process lives on`() async throws {
        let pool = try await startPool(["jailed"]) { $0.fileSize = 500 }
        let job = try job(.fill, 900)
        #expect(try await pool.run(job).length == 500)
        #expect(contents(of: job.output).utf8.count == 500)
        #expect(pool.status.crashes == 0)
        await pool.shutDown()
    }

    /// Field 19 of proc(5)'s stat; the second, a name in parentheses, may hold blanks.
    private func niceness(of process: String) -> Int? {
        let fields = read("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ")
        return fields.flatMap { $0.count > 16 ? Int($0[16]) : nil }
    }

    private func read(_ path: String) -> String {
        let file = open(path, O_RDONLY)
        return file >= 0 ? contents(of: OwnedDescriptor(adopting: file)) : ""
    }
}
