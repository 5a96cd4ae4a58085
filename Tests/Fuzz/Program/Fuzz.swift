// SPDX-License-Identifier: Apache-2.0

internal import FuzzTargets
internal import Glibc
internal import LibFuzzer

/// One target under libFuzzer, which reads the arguments; `PICTOR_FUZZ_TARGET` names the target. With
/// `PICTOR_FUZZ_BLIND=COUNT:SEED` it is fed that many random inputs instead, made of the seeds in the folders that are its
/// arguments and of the words of `PICTOR_FUZZ_DICTIONARY`. See scripts/fuzz.
@main
struct Fuzz {
    /// Set before libFuzzer calls back, which it does on this one thread only.
    nonisolated(unsafe) private static var target = FuzzTarget.request

    static func main() {
        let name = getenv("PICTOR_FUZZ_TARGET").map { String(cString: $0) } ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: " ")
            print("PICTOR_FUZZ_TARGET is one of: \(names)")
            exit(2)
        }
        if let order = getenv("PICTOR_FUZZ_BLIND").flatMap({ BlindRun(String(cString: $0)) }) {
            do {
                let corpus = try SeedCorpus(
                    folders: Array(CommandLine.arguments.dropFirst()),
                    dictionary: getenv("PICTOR_FUZZ_DICTIONARY").map { String(cString: $0) })
                order.feed(target, corpus)
            } catch {
                print("the seeds cannot be read: \(error)")
                exit(2)
            }
            exit(0)
        }
        Self.target = target
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(
            LLVMFuzzerRunDriver(&count, &arguments) { data, size in
                Fuzz.target.run(UnsafeRawBufferPointer(start: data, count: size))
                return 0
            })
    }
}
