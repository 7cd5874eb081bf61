import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { moveHead } from './epoch-jump.ts'

const hexOf = (state: object) => `0x${gzipSync(JSON.stringify(state)).toString('hex')}` as const

test('the head moves ahead on a copy of the newest block without its transactions, and the rest stays', () => {
  const state = {
    block: { number: '0x2', timestamp: '0x5' },
    best_block_number: 2,
    blocks: [
      { header: { number: '0x1', miner: '0x0' }, transactions: [] },
      { header: { number: '0x2', miner: '0x0' }, transactions: ['t'] },
    ],
    accounts: { '0xa': { balance: '0x1' } },
  }
  const moved = JSON.parse(gunzipSync(Buffer.from(moveHead(hexOf(state), 1000n).slice(2), 'hex')).toString())
  expect(moved).toEqual({
    ...state,
    block: { number: '0x3e8', timestamp: '0x5' },
    best_block_number: 1000,
    blocks: [...state.blocks, { header: { number: '0x3e8', miner: '0x0' }, transactions: [] }],
  })
})
