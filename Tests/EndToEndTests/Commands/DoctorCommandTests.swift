// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("`pictor doctor` tells what is wrong", .endToEnd)
struct DoctorCommandTests {
    @Test func `a daemon that is well has nothing wrong, and its view of a URL follows`() throws {
        let daemon = try DaemonUnderTest(
            ["--cache-disk", "64MiB"], environment: DaemonUnderTest.trusting)
        let doctor = try daemon.command([
            "doctor", "--cache-disk", "64MiB", "--url", "http://127.0.0.1:1/a.png",
        ])
        #expect(doctor.status == 0, "\(doctor.output)\(doctor.error)")
        #expect(doctor.output.contains("is ready.") && doctor.output.contains("decoder.jail: holds"))
        #expect(doctor.output.contains("127.0.0.1:1/a.png"))
        #expect(!doctor.output.contains("WRONG"))
    }

    @Test func `an address at which nobody answers is no fault where the daemon answers at another`() throws {
        let daemon = try DaemonUnderTest(
            ["--cache-disk", "64MiB"], environment: DaemonUnderTest.trusting)
        let doctor = try PictorCommand(
            [
                "doctor", "--cache-disk", "64MiB", "--cache-directory", daemon.cache.path, "--admin-listen",
                "127.0.0.1:1,127.0.0.1:\(daemon.adminPort)",
            ], environment: DaemonUnderTest.trusting)
        #expect(doctor.status == 0, "\(doctor.output)\(doctor.error)")
        #expect(doctor.output.contains("is ready."))
        #expect(doctor.output.contains("Nobody answers at 127.0.0.1:1: "), "\(doctor.output)")
    }

    @Test func `the last errors and the origins that fail are told, and are no fault of the daemon`() throws {
        let origin = ScriptedOrigin { $0.answer("500 Internal Server Error") }
        let daemon = try DaemonUnderTest(
            ["--cache-disk", "64MiB", "--origin-rest-after", "0"], environment: DaemonUnderTest.trusting)
        for index in 1...6 {
            #expect(
                try daemon.get(DaemonUnderTest.target(origin.url("/\(index)").absolute, "w=20")).status >= 500
            )
        }
        #expect(try daemon.get("/img?w=20").status == 400)
        // Noted once they are sent.
        #expect(daemon.accessLog(of: 7) != nil)
        let doctor = try daemon.command(["doctor", "--cache-disk", "64MiB"])
        #expect(doctor.status == 0, "\(doctor.output)\(doctor.error)")
        #expect(
            doctor.output.contains("Of late 6 × 502 origin_status, the last for \"/img?"), "\(doctor.output)")
        #expect(doctor.output.contains("400 "))
        #expect(doctor.output.contains("127.0.0.1:\(origin.port) left 100 %"), "\(doctor.output)")
    }

    @Test func `what it tells of errors has no secrets`() throws {
        let daemon = try DaemonUnderTest(["--cache-disk", "64MiB"], environment: DaemonUnderTest.trusting)
        let target = "/img?url=https://user:s3cr3t@host.test/a.png&token=s3cr3t"
        #expect(try daemon.get(target).status >= 400)
        #expect(daemon.accessLog(of: 1) != nil)
        let doctor = try daemon.command(["doctor", "--cache-disk", "64MiB"])
        #expect(
            doctor.output.contains("/img?url=https://REDACTED@host.test/a.png&token=REDACTED")
                && !doctor.output.contains("s3cr3t"), "\(doctor.output)")
    }

    @Test func `an origin that rests needs somebody`() throws {
        let origin = ScriptedOrigin { $0.answer("500 Internal Server Error") }
        let daemon = try DaemonUnderTest(
            [
                "--cache-disk", "64MiB", "--origin-rest-after", "1", "--origin-first-rest", "1h",
                "--origin-longest-rest", "1h",
            ],
            environment: DaemonUnderTest.trusting)
        for index in 1...8 {
            _ = try daemon.get(DaemonUnderTest.target(origin.url("/\(index)").absolute, "w=20"))
        }
        let doctor = try daemon.command(["doctor", "--cache-disk", "64MiB"])
        #expect(doctor.status == 1, "\(doctor.output)")
        #expect(
            doctor.output.contains("WRONG  The origin http://127.0.0.1:\(origin.port) failed"),
            "\(doctor.output)")
    }

    private struct Report: Decodable {
        struct Finding: Decodable {
            let wrong: Bool
            let message: String
        }
        struct Explanation: Decodable {}
        let good: Bool
        let findings: [Finding]
        let explanation: Explanation?
    }

    @Test func `programs get the same as one object`() throws {
        let daemon = try DaemonUnderTest(["--cache-disk", "64MiB"], environment: DaemonUnderTest.trusting)
        let usual = ["doctor", "--json", "--cache-disk", "64MiB"]
        func report(_ command: PictorCommand) throws -> Report {
            try JSONDecoder().decode(Report.self, from: Data(command.output.utf8))
        }
        let well = try daemon.command(usual + ["--url", "http://127.0.0.1:1/a.png"])
        #expect(well.status == 0, "\(well.output)")
        let good = try report(well)
        #expect(good.good && good.explanation != nil && !good.findings.contains(where: \.wrong))
        #expect(good.findings.contains { $0.message.hasSuffix("is ready.") })
        let ill = try PictorCommand(
            usual + ["--cache-directory", TemporaryFolder().path, "--admin-listen", "127.0.0.1:1"])
        #expect(ill.status == 1)
        let bad = try report(ill)
        #expect(!bad.good && bad.explanation == nil)
        #expect(bad.findings.contains { $0.wrong && $0.message.contains("No daemon answers") })
    }

    @Test func `a cache of which no daemon tells what it holds needs no more room`() throws {
        let folder = TemporaryFolder()
        func doctor() throws -> String {
            try PictorCommand([
                "doctor", "--cache-directory", folder.path, "--admin-listen", "127.0.0.1:1",
                "--cache-disk", "1024TiB",
            ]).output
        }
        #expect(try doctor().contains("its budget needs"))
        try Data().write(to: URL(filePath: folder.path + "/index.sqlite"))
        let output = try doctor()
        #expect(output.contains(" MiB free.") && !output.contains("its budget needs"), "\(output)")
    }

    @Test func `no daemon is wrong, and so is a URL that cannot be read`() throws {
        let folder = TemporaryFolder()
        let alone = try PictorCommand([
            "doctor", "--cache-directory", folder.path, "--admin-listen", "127.0.0.1:1",
        ])
        #expect(alone.status == 1 && alone.output.contains("WRONG  No daemon answers"), "\(alone.error)")
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        let doctor = try daemon.command(["doctor", "--url", "/img?url=ftp%3A%2F%2Fa"])
        #expect(doctor.status == 1 && doctor.output.contains("cannot be explained"), "\(doctor.output)")
    }
}
