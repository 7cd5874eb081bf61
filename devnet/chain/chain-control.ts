// What tests and people may do to the chain: let it run, hold it, lose transactions, rewind, jump.
import type { Hex } from 'viem'
import { moveHead } from './epoch-jump.ts'
import type { AnvilCall } from './rpc.ts'

/** Blocks mined behind a loaded state: reads at recent blocks need states that a load does not bring. */
export const SETTLING_BLOCKS = 8
const MINE_MAX = 2000
const REORG_MAX = 64

export interface ChainControl {
  epoch(): Promise<bigint>
  /** Mines `blocks` at once (1 to 2,000); works while held. */
  mine(blocks?: number): Promise<void>
  /** Stops mining: transactions stay pending. */
  hold(): Promise<void>
  /** Mines what waits and goes on as before. */
  release(): Promise<void>
  /** Forgets a pending transaction; false when it is not pending. */
  drop(hash: Hex): Promise<boolean>
  /** Replaces the newest `depth` blocks (1 to 64) by empty ones: their transactions never happened. */
  reorg(depth?: number): Promise<void>
  /** Moves the chain ahead by `epochs` without mining them. Time stands still; nothing in between can be read. */
  jump(epochs: number): Promise<void>
}

export interface RunningChain extends ChainControl, AsyncDisposable {}

/** Transactions are mined as they come; between them an empty block every `blockTimeSeconds` (0 = none). */
export function createChainControl(anvil: AnvilCall, blockTimeSeconds: number, log: (line: string) => void): RunningChain {
  let held = false
  let mining: Promise<unknown> = Promise.resolve()

  function tick(): void {
    if (held) return
    mining = anvil('evm_mine').catch((error) => {
      // The chain may be stopping; a chain that is gone shows in every other call too.
      if (!stopped) log(`mining failed: ${error}`)
    })
  }

  let stopped = false
  const timer = blockTimeSeconds > 0 ? setInterval(tick, blockTimeSeconds * 1000) : undefined

  async function mine(blocks = 1): Promise<void> {
    requireRange('blocks', blocks, MINE_MAX)
    await anvil('anvil_mine', [`0x${blocks.toString(16)}`])
  }

  const epoch = async () => BigInt(String(await anvil('eth_blockNumber')))

  return {
    epoch,
    mine,
    async hold() {
      held = true
      await mining
      await anvil('evm_setAutomine', [false])
    },
    async release() {
      await anvil('evm_setAutomine', [true])
      await mine()
      held = false
    },
    async drop(hash) {
      return (await anvil('anvil_dropTransaction', [hash])) !== null
    },
    async reorg(depth = 1) {
      requireRange('depth', depth, REORG_MAX)
      await anvil('anvil_reorg', [depth, []])
    },
    async jump(epochs) {
      requireRange('epochs', epochs, Number.MAX_SAFE_INTEGER)
      const dumped = await anvil('anvil_dumpState')
      await anvil('anvil_loadState', [moveHead(`0x${String(dumped).slice(2)}`, (await epoch()) + BigInt(epochs))])
      await mine(SETTLING_BLOCKS)
    },
    async [Symbol.asyncDispose]() {
      stopped = true
      clearInterval(timer)
      await mining
    },
  }
}

function requireRange(name: string, value: number, max: number): void {
  if (!Number.isInteger(value) || value < 1 || value > max) throw new RangeError(`${name} is ${value}; expected 1 to ${max}`)
}
