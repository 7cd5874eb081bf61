import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ProviderClient } from '#plugins/providers'
import { ok } from '../../../providers/testing/index.ts'
import { openStorageRows } from '../../testing/storage-rows.ts'
import { createTestPipeline, waitOf } from '../../testing/test-pipeline.ts'
import { copiesOf } from '../records/copy-store.ts'
import { storeContent } from './store-content.ts'

test('retry_uncertain_store_only_queries: a store task with an unconfirmed upload only looks up the piece when it runs again, and uploads nothing', async () => {
  await using rows = await openStorageRows()
  const deps = createTestPipeline(rows)
  const dir = mkdtempSync(join(tmpdir(), 'svc-resume-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const bytes = Buffer.alloc(300, 'x')
  writeFileSync(join(dir, 'blob'), bytes)
  deps.world.cached = { path: join(dir, 'blob'), size: bytes.length }
  const { contentId } = await rows.addContent({ bytes, copies: 1 })
  await rows.addDataSet()
  const calls: string[] = []
  let isFound = false
  deps.providers.client = () =>
    ({
      upload: async () => {
        calls.push('upload')
        return ok({ alreadyStored: false })
      },
      findPiece: async () => {
        calls.push('find')
        return ok({ isFound })
      },
    }) as unknown as ProviderClient
  const run = () => storeContent(deps, contentId, new AbortController().signal)
  for (let runs = 0; runs < 3; runs++) expect(waitOf(await run(), deps.clock).reason).toBe('provider_storing')
  isFound = true
  // Nor does it need the cached bytes.
  deps.world.cached = undefined
  expect(await run()).toEqual({ kind: 'done' })
  expect(calls).toEqual(['upload', 'find', 'find', 'find'])
  expect((await copiesOf(rows.database.read, contentId)).map(({ state }) => state)).toEqual(['parked'])
})
