// Tells listeners that the chain has a new head, by asking often: one question for everybody.
import { startLoop } from './loop.ts'
import type { AnvilCall } from './rpc.ts'

const POLL_MS = 50

export interface NewHead {
  readonly epoch: bigint
  /** A block seen before is gone, and what happened in it. */
  readonly isReorg: boolean
}

export interface HeadWatch extends AsyncDisposable {
  /** The newest head known, 0 before the first answer. */
  readonly epoch: bigint
  /** Calls back on every new head; returns the way to stop. */
  subscribe(listener: (head: NewHead) => void): () => void
}

interface SeenBlock {
  readonly number: string
  readonly hash: string
}

export function watchHead(anvil: AnvilCall, log: (line: string) => void): HeadWatch {
  const listeners = new Set<(head: NewHead) => void>()
  let head: SeenBlock | undefined

  async function readBlock(which: string): Promise<SeenBlock | undefined> {
    const block = await anvil('eth_getBlockByNumber', [which, false])
    return isBlock(block) ? block : undefined
  }

  async function ask(): Promise<void> {
    const latest = await readBlock('latest')
    if (!latest || latest.hash === head?.hash) return
    const isReorg = head !== undefined && (await readBlock(head.number))?.hash !== head.hash
    head = latest
    for (const listener of listeners) listener({ epoch: BigInt(latest.number), isReorg })
  }

  const loop = startLoop(ask, { pauseMs: POLL_MS, onError: (error) => log(`head of the chain unknown: ${error}`) })
  return {
    get epoch() {
      return BigInt(head?.number ?? 0)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
  }
}

function isBlock(value: unknown): value is SeenBlock {
  return typeof value === 'object' && value !== null && 'hash' in value && 'number' in value
}
