// Tells listeners that the chain has a new head, by asking often: one question for everybody.
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
  let stopped = false
  let asking: Promise<void> = Promise.resolve()

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

  function again(): void {
    if (stopped) return
    asking = ask()
      .catch((error) => {
        // Asked again in a moment; while the chain stops this is expected.
        if (!stopped) log(`head of the chain unknown: ${error}`)
      })
      .finally(() => {
        timer = setTimeout(again, POLL_MS)
      })
  }

  let timer = setTimeout(again, 0)
  return {
    get epoch() {
      return BigInt(head?.number ?? 0)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async [Symbol.asyncDispose]() {
      stopped = true
      clearTimeout(timer)
      await asking
      clearTimeout(timer)
    },
  }
}

function isBlock(value: unknown): value is SeenBlock {
  return typeof value === 'object' && value !== null && 'hash' in value && 'number' in value
}
