// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Endpoints
import Monitoring
import Operator
import Stores

struct CacheVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Read every file against its checksum, and remove what is damaged.",
        discussion: "Ends with status 3 where files were damaged or missing.")

    @OptionGroup var progress: ProgressArguments
    @OptionGroup var arguments: CacheArguments

    func run() async throws {
        var hasDamage = false
        try arguments.withService { service in
            let report = try progress.follow(.verify, at: service)
            guard let verify = report.verify else { return }
            hasDamage = verify.damaged + verify.missing > 0
            arguments.show(verify) {
                [
                    "\(verify.checked) files, \(Quantity.bytes(verify.bytes)) read: \(verify.damaged) damaged, \(verify.missing) missing, \(verify.skipped) not readable now"
                ]
            }
        }
        if hasDamage { throw ExitCode(Self.foundDamage) }
    }

    /// The exit status for damage. Status 1 says that nothing could be verified.
    private static let foundDamage: Int32 = 3
}

struct CacheGC: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gc",
        abstract: "Evict down to the low water mark, remove files that belong to nothing, pack the index."
    )

    @OptionGroup var progress: ProgressArguments
    @OptionGroup var arguments: CacheArguments

    func run() async throws {
        try arguments.withService { service in
            let report = try progress.follow(.gc, at: service)
            guard let gc = report.gc else { return }
            arguments.show(gc) {
                [
                    "\(gc.evicted) evicted, \(gc.checked) compared: \(gc.orphans) files without a row, \(gc.dropped) rows without a file; index \(Quantity.bytes(gc.indexBytesBefore)) → \(Quantity.bytes(gc.indexBytesAfter))"
                ]
            }
        }
    }
}

/// Shows a task's progress on standard error, if standard error is a terminal or `--progress` is given.
struct ProgressArguments: ParsableArguments {
    @Flag(help: "Tell the progress even where standard error is no terminal.") var progress = false

    func follow(_ task: MaintenanceTask, at service: CacheService) throws -> MaintenanceReport {
        let status = StatusLine()
        var last = ""
        let report = try service.run(task) { report in
            let line = Self.line(report)
            guard line != last else { return }
            last = line
            if status.isShown { status.show(line) } else if progress { StandardError.write("\(line)\n") }
        }
        status.clear()
        return report
    }

    private static func line(_ report: MaintenanceReport) -> String {
        if let verify = report.verify {
            return
                "\(verify.checked) of \(verify.total) files, \(Quantity.bytes(verify.bytes)), \(verify.damaged) damaged"
        }
        guard let gc = report.gc else { return "waiting" }
        return "\(gc.stage.rawValue): \(gc.evicted) evicted, \(gc.checked) compared"
    }
}
