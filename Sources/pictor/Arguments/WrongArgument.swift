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
