/** Flags of `svc admin bucket tags` as a change of the tags. */
import { usageError } from '#cli'

interface Tag {
  readonly key: string
  readonly value: string
}

export interface TagFlags {
  readonly set: readonly string[]
  readonly remove: readonly string[]
  readonly clear: boolean
}

interface TagChange {
  readonly set: readonly Tag[]
  readonly removed: ReadonlySet<string>
  /** Tags that are not in `set` are removed. */
  readonly isWhole: boolean
}

/** Returns undefined when no flag changes anything. Throws CommandError with exit code 2. */
export function readTagChange({ set: pairs, remove, clear }: TagFlags): TagChange | undefined {
  if (pairs.length === 0 && remove.length === 0 && !clear) return undefined
  const set = pairs.map(readPair)
  const removed = new Set(remove)
  const seen = new Set<string>()
  for (const { key } of set) {
    if (seen.has(key)) throw usageError(`--set gives the tag ${key} twice`)
    if (removed.has(key)) throw usageError(`the tag ${key} is given to both --set and --remove`)
    seen.add(key)
  }
  return { set, removed, isWhole: clear }
}

function readPair(text: string): Tag {
  const at = text.indexOf('=')
  if (at < 1) throw usageError(`--set must be key=value, got "${text}"`)
  return { key: text.slice(0, at), value: text.slice(at + 1) }
}

export function setTags(current: readonly Tag[], { set, removed, isWhole }: TagChange): Tag[] {
  const given = new Set(set.map(({ key }) => key))
  const kept = isWhole ? [] : current.filter(({ key }) => !given.has(key) && !removed.has(key))
  return [...kept, ...set]
}
