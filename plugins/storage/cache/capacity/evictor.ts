/** @walk copies 19: removes the cached bytes when the policy of the cache allows it and enough copies are committed */
import { defineProbe } from '#kernel'
import { type Candidate, hasReleasable, pageOfReleasable } from '../../catalog/cached/releasable-store.ts'
import { forgetLeftovers } from '../../contents/forget-leftovers.ts'
import type { CacheGauge } from '../../contract.ts'
import { type AccessLog, accessResolutionMs } from './access-log.ts'
import { contentsPerPage, type Evicted, type Evictions, evictContents, finishEvictions } from './eviction.ts'
import { crossesHighWatermark, type EvictionRules, selectToFree, targetBytes } from './eviction-policy.ts'
import type { Capacity } from './reservation.ts'

/** A pass removes at most 100,000 contents; the next one continues. */
const pagesMax = 1000

const planned = defineProbe('storage.evict.planned')

/** Number of contents with unremovable files at which eviction pauses, because an `evicting` content is no longer served from the cache. */
const stuckMax = 100
/** Interval at which a pass tries files again that could not be removed: their failed tasks may have been dismissed. */
const stuckRetryMs = 60 * 60_000

/** `enough`: no further eviction is needed. Otherwise the reason why no more could be removed. */
export type CapacityOutcome = 'enough' | 'nothing_releasable' | 'reads_unrecorded' | 'files_stuck'

/** Evicts cached bytes in the background according to the eviction policy. */
export class Evictor {
  readonly rules: EvictionRules
  readonly #evictions: Evictions
  readonly #accessLog: AccessLog
  #refusedBytes = 0
  #isRunning = false
  #isMakingRoom = false
  #isUnfinished = false
  /** Guards kept what the last pass could have removed, and it removed nothing. */
  #isGuarded = false
  /** A pass or a release was interrupted, so it may have left `evicting` entries, which are no longer candidates, and deleted contents. */
  #wasInterrupted = false
  /** When a pass first saw files that cannot be removed, or last tried them again. */
  #stuckSinceMs: number | undefined
  #enqueuing = Promise.resolve()

  constructor(rules: EvictionRules, evictions: Evictions, accessLog: AccessLog) {
    this.rules = rules
    this.#evictions = evictions
    this.#accessLog = accessLog
  }

  /** lru pauses while access times are unreliable. */
  get isPaused(): boolean {
    return this.rules.policy === 'lru' && this.#accessLog.isIncomplete
  }

  /** Called when a body of `bytes` does not fit. Starts an eviction and returns true, or returns false when nothing can be evicted. */
  async requestEviction(bytes: number): Promise<boolean> {
    if (this.rules.policy === 'none' || this.isPaused || this.#isStuck()) return false
    if (!this.#isRunning && (this.#isGuarded || !(await hasReleasable(this.#evictions.database.read)))) return false
    if (bytes > this.#refusedBytes) {
      this.#refusedBytes = bytes
      this.#enqueue()
    }
    return true
  }

  onGrowth(beforeBytes: number, afterBytes: number): void {
    if (crossesHighWatermark(this.rules, beforeBytes, afterBytes)) this.#enqueue()
  }

  /** One pass: evicts releasable contents, least recently read first, down to the target of the policy. */
  async reconcileCapacity(signal: AbortSignal): Promise<CapacityOutcome> {
    const wasInterrupted = this.#wasInterrupted || this.#isRetryDue()
    // Not at the end: a release that is interrupted during this pass is for the next one.
    this.#wasInterrupted = false
    try {
      if (wasInterrupted) await this.#finishInterrupted()
      return await this.#reconcileCapacity(signal)
    } catch (error) {
      this.#wasInterrupted = true
      throw error
    }
  }

  /** The release of a deleted content failed and has no task: the next pass finishes it. */
  onInterruptedRelease(): void {
    this.#wasInterrupted = true
  }

  #isRetryDue(): boolean {
    const nowMs = this.#accessLog.nowMs()
    if (this.#evictions.stuck.size === 0) this.#stuckSinceMs = undefined
    else this.#stuckSinceMs ??= nowMs
    // Absolute: the clock may step back.
    if (this.#stuckSinceMs === undefined || Math.abs(nowMs - this.#stuckSinceMs) < stuckRetryMs) return false
    this.#stuckSinceMs = nowMs
    return true
  }

  async #finishInterrupted(): Promise<void> {
    const { database, contents } = this.#evictions
    await finishEvictions(this.#evictions)
    await forgetLeftovers(database, contents)
  }

  async #reconcileCapacity(signal: AbortSignal): Promise<CapacityOutcome> {
    const { capacity, log } = this.#evictions
    const refusedBytes = this.#refusedBytes
    this.#refusedBytes = 0
    this.#isGuarded = false
    const { maxBytes, usedBytes, reservedBytes } = capacity
    const target = targetBytes(this.rules, { maxBytes, usedBytes, reservedBytes, refusedBytes, isUnfinished: this.#isUnfinished })
    if (target === undefined) return 'enough'
    if (this.rules.policy === 'lru' && !(await this.#accessLog.flush())) return 'reads_unrecorded'
    this.#isRunning = true
    try {
      const outcome = await this.#evictDownTo(target, signal)
      if (capacity.usedBytes < usedBytes) log.info('cached bytes evicted', { before: usedBytes, after: capacity.usedBytes })
      this.#isUnfinished = capacity.usedBytes > target
      return outcome
    } finally {
      this.#isRunning = false
    }
  }

  /**
   * Evicts the least recently read contents that together free the bytes. Returns false, and evicts nothing, when one of them was read at
   * `readBeforeMs` or later, when they are more than a page, or when eviction is running or impossible now.
   */
  async makeRoom(bytes: number, readBeforeMs: number): Promise<boolean> {
    if (this.#isRunning || this.#isMakingRoom || this.isPaused || this.#isStuck()) return false
    this.#isMakingRoom = true
    try {
      if (!(await this.#accessLog.flush())) return false
      const candidates = await pageOfReleasable(this.#evictions.database.read, { after: undefined, limit: contentsPerPage })
      const chosen = selectToFree(candidates, bytes)
      if (chosen.reduce((sum, { bytes }) => sum + bytes, 0) < bytes) return false
      // A row may lack reads up to the resolution after its time.
      if (chosen.some(({ accessedAtMs }) => accessedAtMs + accessResolutionMs >= readBeforeMs)) return false
      return (await this.#evict(chosen)).freedBytes >= bytes
    } finally {
      this.#isMakingRoom = false
    }
  }

  async close(): Promise<void> {
    await this.#enqueuing
  }

  async #evictDownTo(target: number, signal: AbortSignal): Promise<CapacityOutcome> {
    const { capacity, database } = this.#evictions
    let after: Candidate | undefined
    let [freedBytes, isAnyGuarded] = [0, false]
    for (let page = 0; page < pagesMax && capacity.usedBytes > target; page++) {
      signal.throwIfAborted()
      if (this.#isStuck()) return 'files_stuck'
      const candidates = await pageOfReleasable(database.read, { after, limit: contentsPerPage })
      const chosen = selectToFree(candidates, capacity.usedBytes - target)
      after = chosen.at(-1)
      // Contents without enough copies are normal under after_upload; their commit triggers the next pass.
      if (after === undefined) return this.rules.policy === 'lru' ? 'nothing_releasable' : 'enough'
      const evicted = await this.#evict(chosen)
      freedBytes += evicted.freedBytes
      isAnyGuarded ||= evicted.isAnyGuarded
      this.#isGuarded = isAnyGuarded && freedBytes === 0
    }
    return 'enough'
  }

  #isStuck(): boolean {
    return this.#evictions.stuck.size >= stuckMax
  }

  async #evict(chosen: readonly Candidate[]): Promise<Evicted> {
    const plannedMs = this.#accessLog.nowMs()
    await planned()
    const mayEvict = (_tx: unknown, contentId: number) => !this.#accessLog.wasReadSince(contentId, plannedMs)
    const ids = chosen.map(({ contentId }) => contentId)
    return evictContents(this.#evictions, ids, this.rules.policy === 'lru' ? mayEvict : undefined)
  }

  /** Best effort: the schedule enqueues a pass every minute anyway. */
  #enqueue(): void {
    const { database, tasks, log } = this.#evictions
    this.#enqueuing = database
      .write((tx) => tasks.reconcileCapacity(tx))
      .catch((error) => log.warn('eviction pass not enqueued; the schedule retries', { error }))
  }
}

/** Cache usage and limits for operators. */
export function createCacheGauge(capacity: Capacity, evictor: Evictor): CacheGauge {
  const { rules } = evictor
  return {
    stats: () => ({
      usedBytes: capacity.usedBytes,
      maxBytes: capacity.maxBytes,
      reservedBytes: capacity.reservedBytes,
      evictionPolicy: rules.policy,
      ...(rules.policy === 'lru' && { highWatermarkBytes: rules.highBytes, lowWatermarkBytes: rules.lowBytes }),
      isEvictionPaused: evictor.isPaused,
    }),
  }
}
