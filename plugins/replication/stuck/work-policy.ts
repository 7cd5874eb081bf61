/** What happens to the copies of a content: the one vocabulary of lists, pages, metrics and alerts (I-43). */
import type { CopyWork, ObjectState } from '../contract.ts'

/** A pending or running task that makes copies of a content. */
export interface OpenWork {
  /** Null: it does not wait. */
  readonly waitReason: string | null
  readonly runAtMs: number
  /** Null: it is not the task of one provider. */
  readonly providerId: string | null
}

export interface Work {
  readonly work: CopyWork
  readonly waitReason: string | null
  readonly waitUntilMs: number | null
  readonly waitsForProvider: string | null
}

interface WorkFacts {
  readonly state: ObjectState
  readonly isStuck: boolean
  /** It waits for a pack. */
  readonly isPacking: boolean
  readonly tasks: readonly OpenWork[]
}

const only = (work: CopyWork): Work => ({ work, waitReason: null, waitUntilMs: null, waitsForProvider: null })
const waitFor = (waitReason: string): Work => ({ ...only('waiting'), waitReason })

/** A failed object is stuck. A task that does not wait works on the content, also between its attempts. */
export function judgeWork({ state, isStuck, isPacking, tasks }: WorkFacts): Work {
  if (state === 'stored') return only('complete')
  if (isPacking) return waitFor('pack')
  if (isStuck || state === 'failed') return only('stuck')
  const waits = tasks.filter(({ waitReason }) => waitReason !== null).toSorted((a, b) => a.runAtMs - b.runAtMs)
  const [first] = waits
  if (first === undefined || waits.length < tasks.length) return only('working')
  return { work: 'waiting', waitReason: first.waitReason, waitUntilMs: first.runAtMs, waitsForProvider: first.providerId }
}

/** Worst first: an object is stuck with one of its parts, and waits when nothing is made of any part. */
const precedence: readonly CopyWork[] = ['stuck', 'working', 'waiting']

/** The work on a composite content: that of its parts. */
export function combineWork(parts: readonly Work[]): Work {
  for (const work of precedence) {
    const [first] = parts.filter((part) => part.work === work).toSorted((a, b) => (a.waitUntilMs ?? 0) - (b.waitUntilMs ?? 0))
    if (first) return first
  }
  return only('complete')
}
