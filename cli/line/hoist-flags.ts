/**
 * Moves the words of a command line before its flags, so that `svc admin --json s3-user list` reads like
 * `svc admin s3-user list --json`. `valued` holds the names of flags that take a value, without dashes. Words after
 * `--` are moved too; from the first of them that looks like a flag, the rest of the line stays unchanged.
 */
export function hoistFlags(argv: readonly string[], valued: ReadonlySet<string>): readonly string[] {
  const end = argv.indexOf('--')
  const movable = end === -1 ? argv : argv.slice(0, end)
  const words: string[] = []
  const flags: string[] = []
  for (let at = 0; at < movable.length; at++) {
    const word = movable[at] ?? ''
    if (!isFlag(word)) {
      words.push(word)
      continue
    }
    flags.push(word)
    const next = movable[at + 1]
    if (next !== undefined && !word.includes('=') && valued.has(word.replace(/^--?/, ''))) {
      flags.push(next)
      at++
    }
  }
  const after = end === -1 ? [] : argv.slice(end + 1)
  const literal = after.findIndex((word) => word.startsWith('-'))
  const [plain, rest] = literal === -1 ? [after, []] : [after.slice(0, literal), after.slice(literal)]
  return [...words, ...plain, ...flags, ...(rest.length === 0 ? [] : ['--', ...rest])]
}

/** A lone dash and a negative number are values. */
const isFlag = (word: string): boolean => /^--?[a-zA-Z]/.test(word)
