interface Version {
  readonly numbers: readonly number[]
  /** Identifiers of a pre-release, such as `rc` and `1`; empty for a release. */
  readonly stage: readonly string[]
}

const pattern = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]{1,64}))?(?:\+[0-9A-Za-z.-]{1,64})?$/

/** Returns undefined for a text that is no semantic version. */
function parse(text: string): Version | undefined {
  const [, major, minor, patch, stage] = pattern.exec(text) ?? []
  if (major === undefined || minor === undefined || patch === undefined) return undefined
  return { numbers: [Number(major), Number(minor), Number(patch)], stage: stage?.split('.') ?? [] }
}

export const isVersion = (text: string): boolean => parse(text) !== undefined

/** Order of semantic versions: a pre-release comes before its release. A text that is no version comes first. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)]
  if (!left || !right) return Number(left !== undefined) - Number(right !== undefined)
  for (const [at, number] of left.numbers.entries()) if (number !== right.numbers[at]) return number - (right.numbers[at] ?? 0)
  if (left.stage.length === 0 || right.stage.length === 0) return right.stage.length - left.stage.length
  return compareStages(left.stage, right.stage)
}

function compareStages(left: readonly string[], right: readonly string[]): number {
  for (const [at, word] of left.entries()) {
    const other = right[at]
    if (other === undefined) return 1
    if (word === other) continue
    const areNumbers = [word, other].map((text) => /^\d{1,15}$/.test(text))
    if (areNumbers[0] && areNumbers[1]) return Number(word) - Number(other)
    if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] ? -1 : 1
    return word < other ? -1 : 1
  }
  return left.length - right.length
}
