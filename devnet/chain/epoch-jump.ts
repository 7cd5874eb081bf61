// Rewrites a dumped chain state so that the chain goes on at a far later epoch.
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
 * Takes what `anvil_dumpState` gave and returns what `anvil_loadState` takes, with the head at `epoch`.
 * Mining there instead would take anvil minutes: a block costs more the longer the chain is.
 * Receipts, logs and balances stay; there are no blocks between the old head and the new one.
 */
export function moveHead(dumped: Hex, epoch: bigint): Hex {
  const state: DumpedState = JSON.parse(gunzipSync(Buffer.from(dumped.slice(2), 'hex')).toString('utf8'))
  const head = state.blocks.reduce((best, block) => (BigInt(block.header.number) > BigInt(best.header.number) ? block : best))
  const number: Hex = `0x${epoch.toString(16)}`
  const moved = {
    ...state,
    block: { ...state.block, number },
    best_block_number: Number(epoch),
    // anvil refuses a head without its block.
    blocks: [...state.blocks, { ...head, header: { ...head.header, number }, transactions: [] }],
  }
  return `0x${gzipSync(JSON.stringify(moved)).toString('hex')}`
}
