import { afterEach, beforeEach, expect, test } from 'vitest'
import { setPieceBytesMax } from '../../datasets/data-set-store.ts'
import { openStorageRows, type StorageRows } from '../../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline } from '../../testing/test-pipeline.ts'
import type { PipelineContent } from '../records/copy-store.ts'
import { planDataSets } from './plan-data-sets.ts'

let rows: StorageRows
let deps: TestPipeline
let content: PipelineContent

beforeEach(async () => {
  rows = await openStorageRows()
  deps = createTestPipeline(rows)
  content = await rows.addContent({ bytes: Buffer.alloc(300, 'x'), copies: 2 })
  deps.world.available = [provider(1, 200), provider(2), provider(3)]
})

afterEach(() => rows[Symbol.asyncDispose]())

const provider = (id: number, pieceBytesMax = 1000) => ({
  providerId: String(id),
  isEndorsed: true,
  latencyMs: 1,
  address: '0x1' as const,
  payee: '0x2' as const,
  serviceUrl: `http://provider-${id}`,
  pieceBytesMax,
  name: `provider ${id}`,
})

/** Planned slots of the content after its first provider has lowered its maximum. */
async function slotsAfterLowering(state: 'planned' | 'transferring' | 'parked' | 'committed'): Promise<readonly number[]> {
  await rows.addCopy(content, await rows.addDataSet(), state)
  await rows.addCopy(content, await rows.addDataSet(), state)
  await rows.database.write((tx) => setPieceBytesMax(tx, 1, provider(1, 200)))
  return (await planDataSets(deps, content)).map(({ slot }) => slot)
}

test.each(['transferring', 'parked', 'committed'] as const)(
  'a provider that lowers its maximum keeps a content that is %s there, and no further data set is created',
  async (state) => {
    expect(await slotsAfterLowering(state)).toEqual([0, 1])
    expect(deps.scheduled).toEqual([])
  },
)

test('a provider that lowers its maximum before it has the bytes is replaced by another', async () => {
  expect(await slotsAfterLowering('planned')).toEqual([1, 2])
  expect(deps.scheduled).toEqual(['ensure 3'])
})
