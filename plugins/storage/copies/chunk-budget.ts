import { storageErrors } from '../errors.ts'
import { CHUNK_RAW_BYTES } from '../pieces/piece-size.ts'
import { type RemoteReadLimits, spareBuffersMax } from './remote-read-limits.ts'

/** Memory for one chunk. */
export interface Slot {
  readonly bytes: Buffer
  /** Nothing may read or write the bytes afterwards. */
  release(): void
}

/** A reader that waits for its client. */
export interface RestingReader {
  /** When it got its chunk, by the monotonic clock. */
  readonly heldSinceMs: number
  /** Releases its chunks; it fetches them again when its client goes on. */
  giveBack(): void
}

/** The bytes of all reads from providers: a fixed number of slots, given in the order in which they were asked for. */
export interface ChunkBudget {
  /** @throws storageErrors.remote_reads_busy when none became free in time; the signal's reason when it aborts first */
  take(signal: AbortSignal): Promise<Slot>
  /** A slot, if more than `leaving` are free and no reader waits for one. */
  tryTake(leaving: number): Slot | undefined
  /** Between these two calls the reader waits for its client, and may have to give back its chunks. */
  rest(reader: RestingReader): void
  resume(reader: RestingReader): void
  readonly usedSlots: number
}

type BudgetLimits = Pick<RemoteReadLimits, 'slotsMax' | 'waitersMax' | 'slotWait' | 'hold' | 'reclaimPoll'>

const retryAfterSeconds = 5

export function createChunkBudget(limits: BudgetLimits): ChunkBudget {
  const spare: Buffer[] = []
  const resting = new Set<RestingReader>()
  /** In the order of their arrival. */
  const waiters = new Set<(slot: Slot) => void>()
  let used = 0
  let poll: NodeJS.Timeout | undefined

  function give(): Slot {
    used++
    let bytes: Buffer | undefined
    let isReleased = false
    return {
      get bytes() {
        bytes ??= spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_RAW_BYTES)
        return bytes
      },
      release() {
        if (isReleased) return
        isReleased = true
        used--
        if (bytes && spare.length < spareBuffersMax) spare.push(bytes)
        const [next] = waiters
        if (!next) return
        waiters.delete(next)
        next(give())
      },
    }
  }

  /** Takes chunks from readers whose clients do not take them, the longest held first, until no reader waits. */
  function reclaim(): void {
    const dueMs = performance.now() - limits.hold
    const due = [...resting].filter(({ heldSinceMs }) => heldSinceMs <= dueMs).sort((a, b) => a.heldSinceMs - b.heldSinceMs)
    for (const reader of due) {
      if (waiters.size === 0) return
      resting.delete(reader)
      reader.giveBack()
    }
  }

  async function wait(signal: AbortSignal): Promise<Slot> {
    const { promise, resolve, reject } = Promise.withResolvers<Slot>()
    // Leaves the queue at once: a slot given to a reader that has left would be lost.
    const leave = (reason: unknown) => {
      waiters.delete(resolve)
      reject(reason)
    }
    const stop = () => leave(signal.reason)
    const timer = setTimeout(() => leave(busy(`no memory became free within ${limits.slotWait} ms`)), limits.slotWait)
    signal.addEventListener('abort', stop, { once: true })
    waiters.add(resolve)
    poll ??= setInterval(reclaim, limits.reclaimPoll)
    reclaim()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      if (waiters.size === 0) {
        clearInterval(poll)
        poll = undefined
      }
    }
  }

  return {
    async take(signal) {
      signal.throwIfAborted()
      if (waiters.size === 0 && used < limits.slotsMax) return give()
      if (waiters.size >= limits.waitersMax) throw busy(`${limits.waitersMax} reads wait already`)
      return wait(signal)
    },
    tryTake: (leaving) => (waiters.size === 0 && used + leaving < limits.slotsMax ? give() : undefined),
    rest: (reader) => void resting.add(reader),
    resume: (reader) => void resting.delete(reader),
    get usedSlots() {
      return used
    },
  }
}

function busy(detail: string): Error {
  return storageErrors.remote_reads_busy({
    message: `too many objects are being read from providers: ${detail}; try again`,
    retryAfterSeconds,
  })
}
