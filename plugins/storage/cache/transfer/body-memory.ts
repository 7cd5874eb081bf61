import { Memory, wasmPageBytes } from '../../checksums/web-assembly.ts'
import { storageErrors } from '../../errors.ts'

const kib = 1024
/** Memory for the bytes of all bodies and answers in transfer, shared with the hashing threads. */
export const bodyMemoryBytes = 16 * 1024 * kib
export const blockBytes = 512 * kib
/** Used when clients that do not read or send hold all blocks: other transfers continue slowly. */
export const smallBlockBytes = 8 * kib
/** One for each request that runs at once by default: each can make progress. */
const smallBlocks = 512
/** Time without a returned block after which waiting transfers get small ones. */
const stuckMs = 100
const waitMsMax = 30_000

export type Block = Uint8Array<SharedArrayBuffer>

interface BodyMemoryStats {
  readonly budgetBytes: number
  readonly usedBytes: number
  /** Transfers that wait for a block. */
  readonly waiting: number
}

interface Waiter {
  readonly resolve: (block: Block) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

/**
 * A fixed number of blocks that transfers of bytes take and give back. All are views of one memory, whose pages are only occupied once they
 * are used. Waiting transfers are served in their order. A holder of a block never waits for another holder, so waiting ends: each block
 * comes back when its bytes are hashed and written, or sent, or at the idle timeout of a client.
 */
export class BodyMemory {
  readonly #budgetBytes: number
  /** The memory of all blocks. */
  readonly shared: SharedArrayBuffer
  readonly #large: Block[]
  readonly #small: Block[]
  readonly #taken = new Set<Block>()
  readonly #waiting: Waiter[] = []
  /** Holders of blocks that are partly filled and wait for a client. */
  readonly #giveBacks = new Set<() => void>()
  #usedBytes = 0
  #stuck: NodeJS.Timeout | undefined
  #isStuck = false

  constructor(budgetBytes = bodyMemoryBytes) {
    this.#budgetBytes = budgetBytes
    const smallFrom = budgetBytes - Math.min(smallBlocks, Math.floor(budgetBytes / 4 / smallBlockBytes)) * smallBlockBytes
    this.shared = sharedPages(budgetBytes)
    this.#large = views(this.shared, { from: 0, to: smallFrom, bytes: blockBytes })
    this.#small = views(this.shared, { from: smallFrom, to: budgetBytes, bytes: smallBlockBytes })
  }

  stats(): BodyMemoryStats {
    return { budgetBytes: this.#budgetBytes, usedBytes: this.#usedBytes, waiting: this.#waiting.length }
  }

  /** Every large block is taken. */
  get isShort(): boolean {
    return this.#large.length === 0
  }

  /** A block of unknown content; give it back as soon as its bytes are used. Rejects with `cache_busy` after `waitMsMax`. */
  take(): Block | Promise<Block> {
    const block = this.tryTake() ?? (this.#isStuck ? this.#takeSmall() : undefined)
    if (block) return block
    const { promise, resolve, reject } = Promise.withResolvers<Block>()
    const waiter: Waiter = { resolve, reject, timer: setTimeout(() => this.#giveUp(waiter), waitMsMax) }
    this.#waiting.push(waiter)
    this.#watch()
    return promise
  }

  /** Returns nothing when every block is taken or others wait for one. */
  tryTake(): Block | undefined {
    if (this.#waiting.length > 0) return undefined
    const block = this.#large.pop()
    return block && this.#hand(block)
  }

  give(block: Block): void {
    if (!this.#taken.delete(block)) throw new Error('a block of body memory was given back twice')
    this.#usedBytes -= block.length
    const isLarge = block.length > smallBlockBytes
    const blocks = isLarge ? this.#large : this.#small
    blocks.push(block)
    if (isLarge) this.#isStuck = false
    const next = isLarge || this.#isStuck ? this.#waiting.shift() : undefined
    if (next) this.#serve(next, blocks.pop() as Block)
    this.#watch(next !== undefined)
  }

  /** `giveBack` is called when others wait while no block comes back. It should use the bytes received so far and give the block back. */
  onStuck(giveBack: () => void): Disposable {
    this.#giveBacks.add(giveBack)
    return { [Symbol.dispose]: () => void this.#giveBacks.delete(giveBack) }
  }

  #hand(block: Block): Block {
    this.#taken.add(block)
    this.#usedBytes += block.length
    return block
  }

  #takeSmall(): Block | undefined {
    const block = this.#small.pop()
    return block && this.#hand(block)
  }

  #serve({ resolve, timer }: Waiter, block: Block): void {
    clearTimeout(timer)
    resolve(this.#hand(block))
  }

  #watch(restarts = false): void {
    if (restarts || this.#waiting.length === 0) {
      clearTimeout(this.#stuck)
      this.#stuck = undefined
    }
    if (this.#waiting.length > 0) this.#stuck ??= setTimeout(() => this.#unstick(), stuckMs)
  }

  #unstick(): void {
    this.#stuck = undefined
    this.#isStuck = true
    for (const giveBack of [...this.#giveBacks]) giveBack()
    while (this.#waiting.length > 0) {
      const block = this.#small.pop()
      if (!block) break
      this.#serve(this.#waiting.shift() as Waiter, block)
    }
  }

  #giveUp(waiter: Waiter): void {
    this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
    this.#watch()
    const mib = this.#budgetBytes / kib / kib
    waiter.reject(
      storageErrors.cache_busy({ message: `the ${mib} MiB of memory for transfers are in use; retry with fewer transfers at once` }),
    )
  }
}

/** Begins at a page of the system, as writes past its page cache need; a SharedArrayBuffer of its own begins anywhere. */
function sharedPages(bytes: number): SharedArrayBuffer {
  const pages = Math.ceil(bytes / wasmPageBytes)
  return new Memory({ initial: pages, maximum: pages, shared: true }).buffer
}

function views(
  shared: SharedArrayBuffer,
  { from, to, bytes }: { readonly from: number; readonly to: number; readonly bytes: number },
): Block[] {
  const blocks: Block[] = []
  for (let at = from; at + bytes <= to; at += bytes) blocks.push(new Uint8Array(shared, at, bytes))
  // The last one is taken first.
  return blocks.reverse()
}
