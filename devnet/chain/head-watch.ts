// Notifies listeners of new heads: one read for all of them.
import type { ChainEvents } from './chain-events.ts'
import { startLoop } from './loop.ts'
import type { AnvilCall } from './rpc.ts'

/** Poll interval, in case a notification is lost. */
const POLL_MS = 1000

interface NewHead {
  readonly epoch: bigint
  /** A block seen before was replaced, so its transactions are undone. */
  readonly isReorg: boolean
}

export interface HeadWatch extends AsyncDisposable {
  /** The newest head known, 0 before the first answer. */
  readonly epoch: bigint
  /** Calls back on every new head. Returns the function that unsubscribes. */
  subscribe(listener: (head: NewHead) => void): () => void
}

interface SeenBlock {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
}

export function watchHead(anvil: AnvilCall, events: ChainEvents, log: (line: string) => void): HeadWatch {
  const listeners = new Set<(head: NewHead) => void>()
  let head: SeenBlock | undefined

  async function readBlock(which: string): Promise<SeenBlock | undefined> {
    const block = await anvil('eth_getBlockByNumber', [which, false])
    return isBlock(block) ? block : undefined
  }

  async function readHead(): Promise<void> {
    const latest = await readBlock('latest')
    if (!latest || latest.hash === head?.hash) return
    const isReorg = head !== undefined && latest.parentHash !== head.hash && (await readBlock(head.number))?.hash !== head.hash
    head = latest
    for (const listener of listeners) listener({ epoch: BigInt(latest.number), isReorg })
  }

  const loop = startLoop(readHead, { pauseMs: POLL_MS, onError: (error) => log(`head of the chain not read: ${error}`) })
  const unsubscribe = events.subscribe('newHeads', loop.wake)
  return {
    get epoch() {
      return BigInt(head?.number ?? 0)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    [Symbol.asyncDispose]() {
      unsubscribe()
      return loop[Symbol.asyncDispose]()
    },
  }
}

function isBlock(value: unknown): value is SeenBlock {
  return typeof value === 'object' && value !== null && 'hash' in value && 'number' in value && 'parentHash' in value
}
