import type { Reader } from '#kernel'
import type { ShortfallCause } from '../contract.ts'
import { type CopyFailure, failuresOf, idsOf, onePerProvider } from './copy-failure-store.ts'
import { waitText } from './wait-text-policy.ts'
import type { Work } from './work-policy.ts'

/** A content below its target, and how many current versions have its bytes. */
export interface Lacking extends Pick<Work, 'work' | 'waitReason' | 'waitsForProvider'> {
  readonly copiedId: number
  /** The contents of a composite. */
  readonly partIds: readonly number[]
  readonly current: number
}

const causesMax = 100

/** Counts the objects that are stuck or wait by cause. An object with failures at two providers counts for both. */
export class ShortfallCauses {
  readonly #causes = new Map<string, { -readonly [M in keyof ShortfallCause]: ShortfallCause[M] }>()

  async add(read: Reader, contents: readonly Lacking[]): Promise<void> {
    const stuck = contents.filter(({ work }) => work === 'stuck')
    const failures = await failuresOf(read, stuck.flatMap(idsOf))
    for (const content of stuck) {
      const found = onePerProvider(idsOf(content).flatMap((id) => failures.get(id) ?? []))
      for (const failure of found.length > 0 ? found : [unrecorded]) this.#count('stuck', failure, content.current)
    }
    for (const { work, waitReason, waitsForProvider, current } of contents) {
      if (work !== 'waiting') continue
      const message = waitReason === null ? null : waitText(waitReason)
      this.#count('waiting', { providerId: waitsForProvider, reason: waitReason, message }, current)
    }
  }

  list(): readonly ShortfallCause[] {
    return [...this.#causes.values()].sort((a, b) => b.objects - a.objects)
  }

  #count(work: ShortfallCause['work'], { providerId, reason, message }: CopyFailure, objects: number): void {
    // Failures at one provider are one cause, whatever their codes; two reasons to wait are two.
    const key = `${work} ${providerId} ${work === 'waiting' ? reason : ''}`
    const known = this.#causes.get(key)
    if (known) known.objects += objects
    else if (this.#causes.size < causesMax) this.#causes.set(key, { work, providerId, reason, message, objects })
  }
}

const unrecorded: CopyFailure = { providerId: null, reason: null, message: null }
