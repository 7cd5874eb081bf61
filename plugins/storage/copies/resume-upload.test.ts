import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ok } from '../chain/provider-answer.ts'
import type { ProviderClient } from '../chain/provider-client.ts'
import { openStorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline, waitOf } from '../testing/test-pipeline.ts'
import { copiesOf } from './copy-store.ts'
import { storeContent } from './store-content.ts'

test('a store whose upload is in doubt only asks the provider when it runs again, and uploads nothing', async () => {
  await using rows = await openStorageRows()
  const doors = createTestPipeline(rows)
  const dir = mkdtempSync(join(tmpdir(), 'svc-resume-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const bytes = Buffer.alloc(300, 'x')
  writeFileSync(join(dir, 'blob'), bytes)
  doors.world.cached = { path: join(dir, 'blob'), size: bytes.length }
  const { contentId } = await rows.addContent({ bytes, copies: 1 })
  await rows.addDataSet()
  const asked: string[] = []
  let isFound = false
  doors.providers.client = () =>
    ({
      upload: async () => {
        asked.push('upload')
        return ok({ alreadyStored: false })
      },
      findPiece: async () => {
        asked.push('look')
        return ok({ isFound })
      },
    }) as unknown as ProviderClient
  const run = () => storeContent(doors, contentId, new AbortController().signal)
  for (let runs = 0; runs < 3; runs++) expect(waitOf(await run(), doors.clock).reason).toBe('provider_storing')
  isFound = true
  // The cached bytes are not needed either.
  doors.world.cached = undefined
  expect(await run()).toEqual({ kind: 'done' })
  expect(asked).toEqual(['upload', 'look', 'look', 'look', 'look'])
  expect(copiesOf(rows.database.read, contentId).map(({ state }) => state)).toEqual(['parked'])
})
