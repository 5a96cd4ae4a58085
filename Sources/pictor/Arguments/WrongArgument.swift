// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Monitoring

/// Reports an argument that a running command finds wrong: prints "Error: …" and returns the exit status of a wrong command line.
/// ArgumentParser's own error would add the usage of `pictor`, not the command's.
func wrongArgument(_ words: String) -> ExitCode {
    StandardError.write("Error: \(words)\n")
    return ExitCode(EX_USAGE)
}

/// - Throws: unless the value of `--accept` can stand in a field of a request.
func validateAccept(_ accept: String) throws {
    let isPlain = accept.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    guard isPlain else { throw ValidationError("--accept has a character that no field may have.") }
}
