// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("pictor check tells what a start would meet", .endToEnd)
struct CheckCommandTests {
    private let folder = TemporaryFolder()

    private func check(_ flags: String...) throws -> PictorCommand {
        try PictorCommand(["check", "--cache-directory", folder.path] + flags)
    }

    @Test func `what follows from the machine is printed`() throws {
        let command = try check("--decoder-processes", "3", "--server-threads", "0")
        #expect(command.status == 0)
        #expect(command.error.contains("In force: decoder.processes: 3\n"))
        #expect(command.error.contains("In force: cache.directory: \(folder.path)\n"))
        #expect(command.error.contains("In force: server.threads: "))
    }

    // systemd sorts the folders of a unit and its drop-ins.
    @Test(arguments: [(["a", "pictor"], "pictor"), (["a", "b"], "a"), (["a/pictor", "b"], "a/pictor")])
    func `of several folders that a service manager made for the cache, its own or the first is taken`(
        names: [String], taken: String
    ) throws {
        let folders = names.map { "\(folder.path)/\($0)" }.joined(separator: ":")
        let command = try PictorCommand(["check"], environment: ["CACHE_DIRECTORY": folders])
        #expect(
            command.error.contains("In force: cache.directory: \(folder.path)/\(taken)\n"),
            "\(command.error)")
    }

    @Test(arguments: [("require", 1), ("prefer", 0)] as [(String, Int32)])
    func `where no decoder starts, as for want of a measure, the end is none of success`(
        jail: String, status: Int32
    ) throws {
        let command = try PictorCommand(
            ["check", "--cache-directory", folder.path, "--decoder-jail", jail],
            wrapper: ["hostile-pictor", "without-landlock"])
        #expect(command.status == status, "\(command.error)")
        #expect(command.error.contains("nothing-readable"), "it is named")
    }

    @Test func `a file that is larger than any of settings or keys is refused unread`() throws {
        let path = folder.path + "/large"
        try Data().write(to: URL(filePath: path))
        #expect(truncate(path, 17 << 20) == 0)
        for flag in ["--config", "--signatures-keys-file", "--origin-profiles"] {
            let command = try check(flag, path)
            #expect(command.status == 78, "\(flag)")
            #expect(command.error.contains("\(path): File too large"), "\(flag): \(command.error)")
        }
    }

    @Test func `mistakes are told at once, with status 78`() throws {
        let command = try check(
            "--origin-first-rest", "1h", "--admin-listen", "nowhere", "--origin-deny-networks", "here,there")
        #expect(command.status == 78)
        for words in ["origin.first-rest", "admin.listen", "\"here\"", "\"there\""] {
            #expect(command.error.contains(words), "\(words): \(command.error)")
        }
    }

    @Test func `a mistake that quotes control characters cannot order a terminal about`() throws {
        let command = try check("--log-level", "a\u{1B}[31m\nError: b\u{202E}")
        #expect(command.status == 78)
        #expect(command.error.contains(#"not "a\u001b[31m\u000aError: b\u202e""#), "\(command.error)")
    }

    @Test(arguments: ["check", "serve", "health"])
    func `a mistake that quotes a URL shows no password`(command: String) throws {
        let wrong = try PictorCommand(
            [command, "--cache-directory", folder.path, "--cors-allow", "https://user:a-password@host"]
                + (command == "health" ? ["--cache-memory", "https://user:a-password@host/"] : []))
        #expect(wrong.error.contains("https://REDACTED@host"), "\(wrong.error)")
        #expect(!(wrong.error + wrong.output).contains("a-password"))
    }

    @Test(arguments: [["reference", "yaml"], ["reference", "labels"], ["check"], ["--help"]])
    func `a command whose output finds no room on the disk does not end as if all were well`(
        words: [String]
    ) throws {
        let command = try PictorCommand(words, fillsDisk: true)
        #expect(command.status == 1)
        // Where what was held back could be dropped before the end, the reason is not known any more.
        let reasons = ["No space left on device", "it could not all be written"]
        let last = command.error.split(separator: "\n").last
        #expect(reasons.contains { last == "Error: standard output: \($0)" }, "\(command.error)")
    }

    @Test func `a command whose output is closed says so, and writes into nothing that it opens`() throws {
        let folder = TemporaryFolder()
        let line = "pictor url explain '/img?url=https%3A%2F%2Fhost%2Fa.jpg' >&-; echo $?"
        let closed = try #require(try Program.shell(line, folder: folder.path)).output
        #expect(closed == "Error: standard output: Bad file descriptor\n1\n")
    }

    @Test(arguments: [
        ("cache purge --cache-directory . --url", 64), ("url explain", 64), ("check --cache-directory", 64),
        ("serve --cache-directory", 78),
    ])
    func `an argument that is not UTF-8 is refused, and no other one taken in its place`(
        command: String, status: Int
    ) throws {
        let folder = TemporaryFolder()
        let line = "pictor \(command) \"$(printf 'http://host/\\377')\"; echo $?"
        let told = try #require(try Program.shell(line, folder: folder.path)).output
        let place = command.split(separator: " ").count + 1
        #expect(told == "Error: argument \(place) is not UTF-8\n\(status)\n")
    }

    @Test func `help that is longer than its reader wants ends in silence, the daemon's as well`() throws {
        let folder = TemporaryFolder()
        for command in ["serve --help", "help serve"] {
            // A pipe whose reader has gone.
            let pipe = "rm -f pipe; mkfifo pipe; exec 3<>pipe 4>pipe 3>&-"
            let line = "\(pipe); env --default-signal=PIPE pictor \(command) >&4; echo $?"
            // 128 and the number of SIGPIPE, as the shell tells it.
            #expect(try #require(try Program.shell(line, folder: folder.path)).output == "141\n")
        }
    }

    @Test func `a file of a secret that cannot be used is told with its setting`() throws {
        let settings = "\(folder.path)/pictor.yaml"
        let file = "\(folder.path)/token"
        try "admin:\n  token-file: \(file)\n".write(toFile: settings, atomically: true, encoding: .utf8)
        let missing = try check("--config", settings)
        #expect(missing.status == 78)
        let named = "Error: \(settings):2: admin.token-file: \(file)"
        #expect(missing.error == "\(named): No such file or directory\n")
        try "short".write(toFile: file, atomically: true, encoding: .utf8)
        let short = try check("--config", settings)
        #expect(short.error.hasPrefix("\(named) must hold at least 16"), "\(short.error)")
        let keys = try check("--signatures-keys-file", file)
        let flagged = "Error: --signatures-keys-file: signatures.keys-file: \(file)"
        #expect(keys.error.hasPrefix("\(flagged) must hold keys"), "\(keys.error)")
    }

    @Test func `a variable for the settings file that a template left empty is named`() throws {
        let command = try PictorCommand(["check"], environment: ["PICTOR_CONFIG": ""])
        #expect(command.status == 78)
        #expect(command.error.contains("PICTOR_CONFIG is empty"), "\(command.error)")
    }

    @Test(arguments: ["--fallback-picture", "--options-watermarks"])
    func `a file of the settings that is no picture is a mistake, for the doctor too`(flag: String) throws {
        let file = folder.path + "/text.png"
        try "no picture".write(toFile: file, atomically: true, encoding: .utf8)
        let value = flag == "--fallback-picture" ? file : "mark=\(file)"
        let command = try check(flag, value)
        #expect(command.status == 78)
        #expect(command.error.contains("\(file) is no picture"), "\(command.error)")
        let doctor = try PictorCommand(["doctor", "--cache-directory", folder.path, flag, value])
        #expect(doctor.output.contains("\(file) is no picture"), "\(doctor.output)\(doctor.error)")
    }

    @Test(arguments: ["--fallback-picture", "--options-watermarks"])
    func `so is one in a coding that is not read`(flag: String) throws {
        let file = folder.path + "/inks.jpg"
        // A frame of five components.
        let frame: [UInt8] = [0xFF, 0xC0, 0, 23, 8, 0, 8, 0, 8, 5]
        let components = [UInt8](repeating: 0x11, count: 15)
        let picture: [UInt8] = [0xFF, 0xD8] + frame + components + [0xFF, 0xD9]
        try Data(picture).write(to: URL(filePath: file))
        let command = try check(flag, flag == "--fallback-picture" ? file : "mark=\(file)")
        #expect(command.status == 78)
        #expect(
            command.error.contains("\(file) is of type image/jpeg in a coding that is not read"),
            "\(command.error)")
    }

    @Test(arguments: ["--fallback-picture", "--options-watermarks"], ["a.png", "pictures/a.png"])
    func `a relative path is a mistake and no host`(flag: String, path: String) throws {
        let value = flag == "--fallback-picture" ? path : "mark=\(path)"
        let command = try check(flag, value)
        #expect(command.status == 78)
        #expect(command.error.contains("\"\(path)\" is neither a URL with its scheme"), "\(command.error)")
    }

    @Test(arguments: ["a.example/a.png", "localhost:80/a.png", "//localhost/a.png", "pictures/a.png"])
    func `a watermark's host may stand without a scheme, and so may an alias`(place: String) throws {
        let aliases = ["--origin-aliases", "pictures=https://a.example/p"]
        let command = try PictorCommand(
            ["check", "--cache-directory", folder.path, "--options-watermarks", "mark=\(place)"] + aliases)
        #expect(command.status == 0, "\(command.error)")
    }

    @Test func `what a trial makes of the cache's folder is gone after it, and what was there stays`()
        throws
    {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/here/originals/ab", withIntermediateDirectories: true)
        for path in ["/here", "/not/yet/there"] {
            let listen = ["--server-listen", "127.0.0.1:0", "--admin-listen", ""]
            let command = try PictorCommand(
                ["check", "--online", "--cache-directory", folder.path + path] + listen)
            #expect(command.status == 0, "\(command.error)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["here"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/here") == ["originals"])
    }

    @Test(.enabled(if: geteuid() == 0, "root alone gives files away"))
    func `a trial by root leaves the folder its user's, also where the index is damaged`() throws {
        let path = folder.path + "/cache"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try "no index".write(toFile: path + "/index.sqlite", atomically: false, encoding: .utf8)
        for part in ["", "/index.sqlite"] { #expect(chown(path + part, 65_534, 65_534) == 0) }
        let command = try PictorCommand([
            "check", "--online", "--cache-directory", path, "--server-listen", "127.0.0.1:0",
            "--admin-listen", "",
        ])
        #expect(command.status == 0, "\(command.error)")
        #expect(try String(contentsOfFile: path + "/index.sqlite", encoding: .utf8) == "no index")
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            var status = stat()
            #expect(stat("\(path)/\(name)", &status) == 0)
            #expect(status.st_uid == 65_534, "\(name)")
        }
    }

    @Test func `a port and a folder that are free are no obstacle, and taken ones are`() throws {
        #expect(try check("--online", "--server-listen", "127.0.0.1:0", "--admin-listen", "").status == 0)
        let daemon = try DaemonUnderTest(cache: folder)
        let taken = try check("--online", "--server-listen", "127.0.0.1:\(daemon.port)", "--admin-listen", "")
        #expect(taken.status == 1)
        #expect(taken.error.contains("127.0.0.1:\(daemon.port)") && taken.error.contains("in use"))
        #expect(taken.error.contains(folder.path))
        #expect(try daemon.get("/nothing").status == 404, "it goes on")
    }
}
