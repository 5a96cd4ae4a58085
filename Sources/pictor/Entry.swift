// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Decoder
import Dispatch
import Glibc

@main
enum Entry {
    /// Not an asynchronous `main`: that starts threads and opens descriptors before its first line, and a decoder must
    /// go into its jail alone.
    static func main() {
        let words = CommandLine.arguments
        if words.dropFirst().first == "decoder" { DecoderMain.run(words.dropFirst(2)) }
        if words.dropFirst().first == "serve" { Startup.prepare() }
        Task {
            await Pictor.main()
            exit(EXIT_SUCCESS)
        }
        dispatchMain()
    }
}
