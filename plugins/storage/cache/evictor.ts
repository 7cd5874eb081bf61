import { defineProbe } from '#kernel'
import type { AccessLog } from './access-log.ts'
import { type Candidate, hasReleasable, pageOfReleasable } from './cache-store.ts'
import { contentsPerPage, type Evictions, evictContents, finishEvictions } from './eviction.ts'
import { crossesHigh, type EvictionRules, enoughOf, targetBytes } from './eviction-policy.ts'

/** A pass removes at most 100,000 contents; the next tick goes on. */
const pagesMax = 1000

const planned = defineProbe('storage.evict.planned')

/** A disk that refuses to remove so many contents may refuse them all: until some go, no more stop being served from the cache. */
const stuckMax = 100

/** `enough`: what had to go and could is gone. Else why no more could be removed. */
export type RoomMade = 'enough' | 'nothing_releasable' | 'reads_unrecorded' | 'files_stuck'

/** Removes cached bytes by the rules of the policy, in the background. */
export class Evictor {
  readonly rules: EvictionRules
  readonly #evictions: Evictions
  readonly #accessLog: AccessLog
  #refusedBytes = 0
  #isRunning = false
  #isUnderWay = false
  /** The last pass broke off, perhaps in the midst of removals: their entries are nobody's candidates any more. */
  #hasBrokenOff = false
  #asking = Promise.resolve()

  constructor(rules: EvictionRules, evictions: Evictions, accessLog: AccessLog) {
    this.rules = rules
    this.#evictions = evictions
    this.#accessLog = accessLog
  }

  /** While reads cannot be recorded nobody knows what was read last. */
  get isPaused(): boolean {
    return this.rules.policy === 'lru' && this.#accessLog.isIncomplete
  }

  /** A body of so many bytes does not fit now. Begins to make room for it and returns true, unless nothing may be removed. */
  askForRoom(bytes: number): boolean {
    if (this.rules.policy === 'none' || this.isPaused || this.#isStuck()) return false
    if (!this.#isRunning && !hasReleasable(this.#evictions.database.read)) return false
    if (bytes > this.#refusedBytes) {
      this.#refusedBytes = bytes
      this.#enqueue()
    }
    return true
  }

  noteGrowth(beforeBytes: number, afterBytes: number): void {
    if (crossesHigh(this.rules, beforeBytes, afterBytes)) this.#enqueue()
  }

  /** One pass: removes what has to go and may, the longest unread first. What may not go yet is waited for without an error. */
  async makeRoom(signal: AbortSignal): Promise<RoomMade> {
    if (this.#hasBrokenOff) await finishEvictions(this.#evictions)
    this.#hasBrokenOff = true
    const made = await this.#makeRoom(signal)
    this.#hasBrokenOff = false
    return made
  }

  async #makeRoom(signal: AbortSignal): Promise<RoomMade> {
    const { capacity, log } = this.#evictions
    const refusedBytes = this.#refusedBytes
    this.#refusedBytes = 0
    const { maxBytes, usedBytes, reservedBytes } = capacity
    const target = targetBytes(this.rules, { maxBytes, usedBytes, reservedBytes, refusedBytes, isUnderWay: this.#isUnderWay })
    if (target === undefined) return 'enough'
    if (this.rules.policy === 'lru' && !(await this.#accessLog.flush())) return 'reads_unrecorded'
    this.#isRunning = true
    try {
      const made = await this.#bringDownTo(target, signal)
      if (capacity.usedBytes < usedBytes) log.info('cached bytes were removed', { before: usedBytes, after: capacity.usedBytes })
      this.#isUnderWay = capacity.usedBytes > target
      return made
    } finally {
      this.#isRunning = false
    }
  }

  async close(): Promise<void> {
    await this.#asking
  }

  async #bringDownTo(target: number, signal: AbortSignal): Promise<RoomMade> {
    const { capacity, database } = this.#evictions
    let after: Candidate | undefined
    for (let page = 0; page < pagesMax && capacity.usedBytes > target; page++) {
      signal.throwIfAborted()
      if (this.#isStuck()) return 'files_stuck'
      const candidates = pageOfReleasable(database.read, { after, limit: contentsPerPage })
      const chosen = enoughOf(candidates, capacity.usedBytes - target)
      after = chosen.at(-1)
      // Under after_upload it is usual that everything else is still on its way.
      if (after === undefined) return this.rules.policy === 'lru' ? 'nothing_releasable' : 'enough'
      await this.#evict(chosen)
    }
    return 'enough'
  }

  #isStuck(): boolean {
    return this.#evictions.stuck.size >= stuckMax
  }

  async #evict(chosen: readonly Candidate[]): Promise<void> {
    const plannedMs = this.#accessLog.nowMs()
    await planned()
    const mayEvict = (_tx: unknown, contentId: number) => !this.#accessLog.wasReadSince(contentId, plannedMs)
    const ids = chosen.map(({ contentId }) => contentId)
    await evictContents(this.#evictions, ids, this.rules.policy === 'lru' ? mayEvict : undefined)
  }

  /** A pass that is not put on record now comes with the next tick of the schedule. */
  #enqueue(): void {
    const { database, tasks, log } = this.#evictions
    this.#asking = database
      .write((tx) => tasks.makeRoom(tx))
      .catch((error) => log.warn('the removal of cached bytes was not begun', { error }))
  }
}
