// SPDX-License-Identifier: Apache-2.0

@main
struct Pictor {
    static func main() {}
}
