import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runSql } from '#kernel/testing'
import { ok } from '../../../providers/testing/index.ts'
import { areChunkRootsOf } from '../../pieces/chunk-roots.ts'
import { createPieceCalculator } from '../../pieces/piece-calculator.ts'
import { chunkRawBytes } from '../../pieces/piece-size.ts'
import { openStorageRows } from '../../testing/storage-rows.ts'
import { createTestPipeline } from '../../testing/test-pipeline.ts'
import { storeContent } from '../placing/store-content.ts'
import { findStoredPiece } from './chunk-roots-store.ts'

test('the store task records the chunk roots together with the piece CID', async () => {
  await using stack = new AsyncDisposableStack()
  const rows = stack.use(await openStorageRows())
  const dir = stack.adopt(mkdtempSync(join(tmpdir(), 'svc-roots-')), (path) => rmSync(path, { recursive: true }))
  const bytes = randomBytes(2 * chunkRawBytes + 77)
  const content = await rows.addContent({ bytes, copies: 1 })
  await rows.addDataSet()
  // The rows are those before the first run of the store task.
  await rows.database.write(async (tx) => {
    await runSql(tx, 'update pieces set piece_cid = null')
    await runSql(tx, 'delete from piece_chunk_roots')
  })
  writeFileSync(join(dir, 'blob'), bytes)
  const deps = createTestPipeline(rows)
  deps.world.cached = { path: join(dir, 'blob'), size: bytes.length }
  deps.world.client = { upload: async () => ok({ alreadyStored: true }), findPiece: async () => ok({ isFound: true }) }
  const pieces = stack.use(createPieceCalculator({ threads: 1 }))
  expect(await storeContent({ ...deps, pieces }, content.contentId, new AbortController().signal)).toEqual({ kind: 'done' })
  const { pieceCid, chunkRoots } = (await findStoredPiece(rows.database.read, content.contentId)) ?? {}
  expect(areChunkRootsOf(pieceCid ?? '', chunkRoots ?? new Uint8Array())).toBe(true)
})
