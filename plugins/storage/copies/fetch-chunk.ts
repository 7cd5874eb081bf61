import type { ChunkBudget } from './chunk-budget.ts'
import type { Slot } from './chunk-memory.ts'
import type { ReadableCopy } from './placement-store.ts'
import { type Attempt, type CopyDoors, tryCopy, type WantedChunk } from './try-copy.ts'

export interface FetchDoors extends CopyDoors {
  readonly budget: ChunkBudget
}

/** No copy gave the bytes. */
export class NoCopyGives extends Error {
  override readonly name = 'NoCopyGives'

  constructor(copies: number) {
    super(`none of ${copies} stored copies gives the bytes`)
  }
}

/**
 * Brings a chunk into a slot from the first copy that gives the right bytes (I-31). The next copy is asked when one fails, and competes with one that
 * is slow.
 */
export async function fetchChunk(
  doors: FetchDoors,
  wanted: WantedChunk,
  copies: readonly ReadableCopy[],
  { slot, signal }: { readonly slot: Slot; readonly signal: AbortSignal },
): Promise<Slot> {
  using race = new CopyRace(doors, wanted, { copies, slot, signal })
  for (;;) {
    signal.throwIfAborted()
    race.startNext()
    if (race.isOver) throw new NoCopyGives(copies.length)
    const ended = await race.nextEnd()
    if (!ended?.isProved) continue
    race.doubtSlower(ended.copy)
    return ended.slot
  }
}

class CopyRace implements Disposable {
  readonly #doors: FetchDoors
  readonly #wanted: WantedChunk
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  /** In the order in which they are asked. */
  readonly #copies: readonly ReadableCopy[]
  readonly #untried: ReadableCopy[]
  readonly #freeSlots: Slot[]
  readonly #running = new Map<ReadableCopy, Promise<Attempt>>()

  constructor(
    doors: FetchDoors,
    wanted: WantedChunk,
    { copies, slot, signal }: { readonly copies: readonly ReadableCopy[]; readonly slot: Slot; readonly signal: AbortSignal },
  ) {
    this.#doors = doors
    this.#wanted = wanted
    this.#copies = copies
    this.#untried = [...copies]
    this.#freeSlots = [slot]
    this.#signal = AbortSignal.any([signal, this.#stop.signal])
  }

  /** Every copy was tried in vain. */
  get isOver(): boolean {
    return this.#running.size === 0
  }

  /** Asks one more copy; a competing one only if there is memory for its bytes. */
  startNext(): void {
    if (this.#untried.length === 0) return
    const slot = this.#freeSlots.pop() ?? this.#doors.budget.tryTake(this.#wanted.length, 0)
    if (!slot) return
    const copy = this.#untried.shift()
    if (copy) this.#running.set(copy, tryCopy(this.#doors, this.#wanted, { copy, slot, signal: this.#signal }))
  }

  /** The first attempt that ends; undefined when it is time to ask one more copy. */
  async nextEnd(): Promise<Attempt | undefined> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const timer = this.#untried.length > 0 ? setTimeout(() => resolve(undefined), this.#doors.limits.hedge) : undefined
    const ended = await Promise.race([...this.#running.values(), late])
    clearTimeout(timer)
    if (!ended) return undefined
    this.#running.delete(ended.copy)
    if (!ended.isProved) this.#freeSlots.push(ended.slot)
    return ended
  }

  /** Copies that were asked before the winner and are still under way. */
  doubtSlower(winner: ReadableCopy): void {
    const earlier = this.#copies.slice(0, this.#copies.indexOf(winner))
    for (const copy of earlier) if (this.#running.has(copy)) this.#doors.doubts.raise(copy)
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
    for (const slot of this.#freeSlots) slot.release()
    // Their memory is free once nothing is written to it any more.
    for (const attempt of this.#running.values()) void attempt.then(({ slot }) => slot.release())
  }
}
