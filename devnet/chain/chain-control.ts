// Mines blocks, and controls the chain for tests and people: hold, drop, reorg, jump.
import type { Hex } from 'viem'
import type { ChainEvents } from './chain-events.ts'
import { moveHead } from './epoch-jump.ts'
import { type Loop, startLoop } from './loop.ts'
import type { PatientTransactions } from './patient-transactions.ts'
import type { AnvilCall } from './rpc.ts'

/** Blocks mined after a state was loaded: reads at recent blocks need states, which a load does not restore. */
export const SETTLING_BLOCKS = 8
/** Delay between a transaction's arrival and its block. Transactions that arrive within it share the block. */
const BATCH_MS = 10
/** Poll interval, in case a notification is lost. */
const POOL_POLL_MS = 1000
const MINE_MAX = 2000
const REORG_MAX = 64

export interface ChainControl {
  epoch(): Promise<bigint>
  /** Mines `blocks` at once (1 to 2,000); works while held. */
  mine(blocks?: number): Promise<void>
  /** Stops mining: transactions stay pending. */
  hold(): Promise<void>
  /** Mines the pending transactions and resumes mining. */
  release(): Promise<void>
  /** Deletes a pending transaction; false when it is not pending. */
  drop(hash: Hex): Promise<boolean>
  /** Replaces the newest `depth` blocks (1 to 64) by empty ones, which undoes their transactions. */
  reorg(depth?: number): Promise<void>
  /** Moves the head ahead by `epochs` without mining them. Timestamps do not move; the skipped blocks cannot be read. */
  jump(epochs: number): Promise<void>
}

interface RunningChain extends ChainControl, AsyncDisposable {}

interface MiningOptions {
  readonly events: ChainEvents
  /** Interval of regular blocks; 0 = none. */
  readonly blockTimeSeconds: number
  readonly patient: PatientTransactions
  readonly log: (line: string) => void
}

/** Replaces anvil's own mining: regular blocks at an interval, and one for each batch of impatient transactions. */
export async function startChainControl(anvil: AnvilCall, options: MiningOptions): Promise<RunningChain> {
  let isHeld = false
  await anvil('evm_setAutomine', [false])
  const { pool, loops } = startMining(anvil, options, () => isHeld)
  let batch: NodeJS.Timeout | undefined
  const unsubscribe = options.events.subscribe('newPendingTransactions', () => {
    batch ??= setTimeout(() => {
      batch = undefined
      pool.wake()
    }, BATCH_MS)
  })

  async function mine(blocks = 1): Promise<void> {
    requireRange('blocks', blocks, MINE_MAX)
    await anvil('anvil_mine', [`0x${blocks.toString(16)}`])
  }

  const epoch = async () => BigInt(String(await anvil('eth_blockNumber')))

  return {
    epoch,
    mine,
    async hold() {
      isHeld = true
      // Wait for a block that is being mined.
      await Promise.all(loops.map((loop) => loop.idle()))
    },
    async release() {
      await mine()
      isHeld = false
      // A transaction may have arrived since that block.
      pool.wake()
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
      unsubscribe()
      clearTimeout(batch)
      await Promise.all(loops.map((loop) => loop[Symbol.asyncDispose]()))
    },
  }
}

interface Mining {
  /** Mines when an impatient transaction waits. */
  readonly pool: Loop
  readonly loops: readonly Loop[]
}

function startMining(anvil: AnvilCall, { blockTimeSeconds, patient, log }: MiningOptions, isHeld: () => boolean): Mining {
  const onError = (error: unknown) => log(`mining failed: ${error}`)
  const mineForPool = async () => {
    if (!isHeld() && (await hasImpatient(anvil, patient))) await anvil('evm_mine')
  }
  const mineByClock = async () => {
    if (!isHeld()) await anvil('evm_mine')
  }
  const pool = startLoop(mineForPool, { pauseMs: POOL_POLL_MS, onError })
  const clock = blockTimeSeconds > 0 ? [startLoop(mineByClock, { pauseMs: blockTimeSeconds * 1000, onError })] : []
  return { pool, loops: [pool, ...clock] }
}

async function hasImpatient(anvil: AnvilCall, patient: PatientTransactions): Promise<boolean> {
  const status = (await anvil('txpool_status')) as { readonly pending: string }
  if (Number(status.pending) === 0) return false
  const content = (await anvil('txpool_content')) as PoolContent
  const hashes = Object.values(content.pending).flatMap((byNonce) => Object.values(byNonce).map(({ hash }) => hash))
  return hashes.some((hash) => !patient.has(hash))
}

interface PoolContent {
  readonly pending: Record<string, Record<string, { readonly hash: string }>>
}

function requireRange(name: string, value: number, max: number): void {
  if (!Number.isInteger(value) || value < 1 || value > max) throw new RangeError(`${name} is ${value}; expected 1 to ${max}`)
}
