// SPDX-License-Identifier: Apache-2.0

@testable import Daemon
import Testing

@Suite struct MemoryLimitTests {
    private func limits(_ groups: String, _ files: [String: String]) -> [Int] {
        MemoryLimit.limits(groups) { files[$0] }.sorted()
    }

    @Test func `the limits of a version 2 group and of all above it count, and max is none`() {
        let files = [
            "/sys/fs/cgroup/system.slice/memory.max": "1073741824\n",
            "/sys/fs/cgroup/system.slice/pictor.service/memory.max": "536870912\n",
        ]
        #expect(limits("0::/system.slice/pictor.service\n", files) == [536_870_912, 1_073_741_824])
        #expect(limits("0::/a\n", ["/sys/fs/cgroup/a/memory.max": "max\n"]) == [])
    }

    @Test func `in a container whose path is the host's, the mount's own root holds`() {
        let files = ["/sys/fs/cgroup/memory.max": "268435456\n"]
        #expect(limits("0::/docker/0123\n", files) == [268_435_456])
        #expect(limits("0::/\n", files) == [268_435_456])
    }

    @Test func `a version 1 memory controller is read beside others`() {
        let groups = "9:name=systemd:/\n4:cpu,memory:/pictor\n3:cpuset:/\n"
        let files = [
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            "/sys/fs/cgroup/memory/pictor/memory.limit_in_bytes": "536870912\n",
        ]
        #expect(limits(groups, files) == [536_870_912, 9_223_372_036_854_771_712])
    }

    @Test func `nonsense is no limit`() {
        #expect(limits("", [:]) == [])
        #expect(limits("::\nmemory\n0::", ["/sys/fs/cgroup/memory.max": "many"]) == [])
    }
}
