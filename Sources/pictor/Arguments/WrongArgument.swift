// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Monitoring

/// An argument that is found wrong once the command runs: printed as "Error: …", with the status of a wrong command line.
/// ArgumentParser would print the usage of `pictor` with it, not the command's.
func wrongArgument(_ words: String) -> ExitCode {
    StandardError.write("Error: \(words)\n")
    return ExitCode(EX_USAGE)
}
