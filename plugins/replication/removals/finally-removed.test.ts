import { expect, test } from 'vitest'
import { silentLog } from '#kernel/testing'
import type { Pipeline } from '../pipeline.ts'
import { finallyRemoved, type RemovalsOfDataSet } from './finally-removed.ts'

/** Pieces 1 to 3, of which the chain has those of an epoch. */
async function removedAt(live: Readonly<Record<number, readonly bigint[]>>): Promise<readonly bigint[]> {
  const pieceState = async (_dataSet: bigint, piece: bigint, epoch: bigint) => (live[Number(epoch)]?.includes(piece) ? 'live' : 'gone')
  const deps = { reads: { pieceState }, log: silentLog } as unknown as Pipeline
  const work = {
    dataSet: { id: 1, chainId: 7n },
    depths: { confirmed: 100n, finalized: 90n, deletable: 50n },
  } as unknown as RemovalsOfDataSet
  return [...(await finallyRemoved(deps, work, [1n, 2n, 3n]))]
}

test('a piece is removed when it is missing at the final epoch and at the older one', async () => {
  expect(await removedAt({ 90: [1n], 50: [1n, 2n] })).toEqual([3n])
})

test('a piece that landed after the older epoch is not removed', async () => {
  expect(await removedAt({ 90: [1n, 2n, 3n], 50: [] })).toEqual([])
})
