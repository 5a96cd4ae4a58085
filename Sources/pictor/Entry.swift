// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Decoder
import Dispatch
import Glibc
import Inspector

@main
enum Entry {
    /// A synchronous `main`: an asynchronous one starts threads and opens descriptors before its first line,
    /// and a worker process must enter its jail with one thread.
    static func main() {
        let words = CommandLine.arguments
        switch words.dropFirst().first {
        case "decoder": DecoderMain.run(words.dropFirst(2))
        case "inspector": InspectorMain.run(words.dropFirst(2))
        case "serve": Startup.prepare()
        default: break
        }
        Task {
            await Pictor.main()
            exit(EXIT_SUCCESS)
        }
        dispatchMain()
    }
}
