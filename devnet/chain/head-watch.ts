// Tells listeners that the chain has a new head, by asking often: one question for everybody.
import type { AnvilCall } from './rpc.ts'

const POLL_MS = 50

export interface HeadWatch extends AsyncDisposable {
  /** The newest head known, 0 before the first answer. */
  readonly epoch: bigint
  /** Calls back on every new head, higher or not; returns the way to stop. */
  subscribe(listener: (epoch: bigint) => void): () => void
}

export function watchHead(anvil: AnvilCall, log: (line: string) => void): HeadWatch {
  const listeners = new Set<(epoch: bigint) => void>()
  let head = { epoch: 0n, hash: '' }
  let stopped = false
  let asking: Promise<void> = Promise.resolve()

  async function ask(): Promise<void> {
    const block = await anvil('eth_getBlockByNumber', ['latest', false])
    if (!isBlock(block) || block.hash === head.hash) return
    head = { epoch: BigInt(block.number), hash: block.hash }
    for (const listener of listeners) listener(head.epoch)
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
      return head.epoch
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

function isBlock(value: unknown): value is { number: string; hash: string } {
  return typeof value === 'object' && value !== null && 'hash' in value && 'number' in value
}
