import { expect, test } from 'vitest'
import type { DataSetRecord } from '#plugins/replication'
import { createPackLimits } from './pack-limits.ts'

const settings = { default: 'off', object_bytes_max: 1000, bytes: 5000, compaction_months: 12, wait: 600, idle: 60 } as const

test('the largest packed object is at most half a pack, in whole bytes', () => {
  const odd = { ...settings, object_bytes_max: 5000, bytes: 5001 }
  expect(createPackLimits({ settings: odd, placements: undefined, providers: undefined }).objectBytesMax).toBe(2500)
})

function limitsOf(dataSets: readonly Partial<DataSetRecord>[]) {
  const placements = { dataSetsOf: async () => dataSets as readonly DataSetRecord[] }
  const providers = { inventory: async () => ({ providers: [{ providerId: '7', pieceBytesMax: 3000 }] }) as never }
  return createPackLimits({ settings, placements, providers }).of(1)
}

const current = { copyIndex: 0, generation: 2, isCurrent: true, providerId: '8', status: 'ready' } as const
const other = { ...current, isCurrent: false, providerId: '9' } as const

test('a pack is at most as large as each provider of the bucket takes', async () => {
  expect(await limitsOf([current])).toMatchObject({ bytes: 5000, waitMs: 600, idleMs: 60, isStopping: false })
  expect(await limitsOf([{ ...current, providerId: '7' }])).toMatchObject({ bytes: 3000 })
})

test.each([
  ['is created to take over', { ...other, generation: 3, status: 'creating' }, true],
  ['was replaced', { ...other, generation: 1, status: 'draining' }, false],
  ['could not be created', { ...other, generation: 3, status: 'failed' }, false],
  ['is of another replica', { ...other, generation: 3, copyIndex: 1 }, false],
] as const)('whether a bucket seals before a replica moves: its other data set %s', async (_what, dataSet, isStopping) => {
  expect(await limitsOf([current, dataSet])).toMatchObject({ isStopping })
})
