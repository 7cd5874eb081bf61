// Rewrites a dumped chain state so that the chain continues at a later epoch.
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Hex } from 'viem'

interface DumpedBlock {
  readonly header: { readonly number: Hex }
  readonly transactions: readonly unknown[]
}

interface DumpedState {
  readonly block: { readonly number: Hex }
  readonly best_block_number: number
  readonly blocks: readonly DumpedBlock[]
}

/**
 * Converts a result of `anvil_dumpState` into a parameter of `anvil_loadState` with the head at `epoch`.
 * Mining the epochs would take minutes, because anvil needs more time for a block the longer the chain is.
 * Receipts, logs and balances stay; the skipped epochs have no blocks.
 */
export function moveHead(dumped: Hex, epoch: bigint): Hex {
  const state: DumpedState = JSON.parse(gunzipSync(Buffer.from(dumped.slice(2), 'hex')).toString('utf8'))
  const head = state.blocks.reduce((best, block) => (BigInt(block.header.number) > BigInt(best.header.number) ? block : best))
  const number: Hex = `0x${epoch.toString(16)}`
  const moved = {
    ...state,
    block: { ...state.block, number },
    best_block_number: Number(epoch),
    // anvil requires the block of the head.
    blocks: [...state.blocks, { ...head, header: { ...head.header, number }, transactions: [] }],
  }
  return `0x${gzipSync(JSON.stringify(moved)).toString('hex')}`
}
