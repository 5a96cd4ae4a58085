// SPDX-License-Identifier: Apache-2.0

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
