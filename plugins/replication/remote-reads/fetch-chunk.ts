/** @walk read 13: fetches a chunk from a stored copy, and from another one when a copy is wrong, slow or missing */
import type { ReadableCopy } from '../copies/records/placement-store.ts'
import type { ChunkBudget } from './chunk-budget.ts'
import type { Slot } from './chunk-memory.ts'
import { type Attempt, type CopyDeps, tryCopy, type WantedChunk } from './try-copy.ts'

export interface FetchDeps extends CopyDeps {
  readonly budget: ChunkBudget
}

/** No stored copy returned the right bytes. */
export class NoReadableCopy extends Error {
  override readonly name = 'NoReadableCopy'

  constructor(copies: number) {
    super(`none of ${copies} stored copies can be read`)
  }
}

/**
 * Fetches a chunk into a slot from the first copy that returns the right bytes (I-31). The next copy is tried when one fails, and in
 * parallel when one is slow.
 */
export async function fetchChunk(
  deps: FetchDeps,
  wanted: WantedChunk,
  copies: readonly ReadableCopy[],
  { slot, signal }: { readonly slot: Slot; readonly signal: AbortSignal },
): Promise<Slot> {
  using race = new CopyRace(deps, wanted, { copies, slot, signal })
  for (;;) {
    signal.throwIfAborted()
    race.startNext()
    if (race.isOver) throw new NoReadableCopy(copies.length)
    const ended = await race.nextEnd()
    if (!ended?.isProved) continue
    race.suspectSlower(ended.copy)
    return ended.slot
  }
}

class CopyRace implements Disposable {
  readonly #deps: FetchDeps
  readonly #wanted: WantedChunk
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  /** Sorted as they are tried. */
  readonly #copies: readonly ReadableCopy[]
  readonly #untried: ReadableCopy[]
  readonly #freeSlots: Slot[]
  readonly #running = new Map<ReadableCopy, Promise<Attempt>>()

  constructor(
    deps: FetchDeps,
    wanted: WantedChunk,
    { copies, slot, signal }: { readonly copies: readonly ReadableCopy[]; readonly slot: Slot; readonly signal: AbortSignal },
  ) {
    this.#deps = deps
    this.#wanted = wanted
    this.#copies = copies
    this.#untried = [...copies]
    this.#freeSlots = [slot]
    this.#signal = AbortSignal.any([signal, this.#stop.signal])
  }

  /** Every copy was tried and failed. */
  get isOver(): boolean {
    return this.#running.size === 0
  }

  /** Tries the next copy; in parallel to another only if memory is free. */
  startNext(): void {
    if (this.#untried.length === 0) return
    const slot = this.#freeSlots.pop() ?? this.#deps.budget.tryTake(this.#wanted.length, 0)
    if (!slot) return
    const copy = this.#untried.shift()
    if (copy) this.#running.set(copy, tryCopy(this.#deps, this.#wanted, { copy, slot, signal: this.#signal }))
  }

  /** The first attempt that ends; undefined when the next copy is to be tried in parallel. */
  async nextEnd(): Promise<Attempt | undefined> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const timer = this.#untried.length > 0 ? setTimeout(() => resolve(undefined), this.#deps.limits.hedge) : undefined
    const ended = await Promise.race([...this.#running.values(), late])
    clearTimeout(timer)
    if (!ended) return undefined
    this.#running.delete(ended.copy)
    if (!ended.isProved) this.#freeSlots.push(ended.slot)
    return ended
  }

  /** Marks copies as suspect that were tried before the winner and are still running. */
  suspectSlower(winner: ReadableCopy): void {
    const earlier = this.#copies.slice(0, this.#copies.indexOf(winner))
    for (const copy of earlier) if (this.#running.has(copy)) this.#deps.suspects.add(copy)
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
    for (const slot of this.#freeSlots) slot.release()
    // The attempts may still write to their slots: release each when its attempt ends.
    for (const attempt of this.#running.values()) void attempt.then(({ slot }) => slot.release())
  }
}
