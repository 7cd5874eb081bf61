import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { pieceCidOfBytes } from '../testing/provider-calls.ts'
import type { ProviderContext } from './context.ts'
import { openPieceStore } from './piece-store.ts'
import { retrievalRoutes } from './retrieval.ts'

test('a piece that moves to a data set while it is requested arrives whole', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-pieces-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const store = openPieceStore(dir)
  const bytes = Buffer.alloc(300, 7)
  const pieceCid = pieceCidOfBytes(bytes)
  writeFileSync(join(dir, 'arriving', 'one'), bytes)
  store.park('one', pieceCid, 0)
  const find: typeof store.find = (cid) => {
    queueMicrotask(() => store.claim(cid))
    return store.find(cid)
  }
  const context = { pieces: { ...store, find }, faults: { take: () => undefined }, counters: { retrievalBytes: 0 } }
  const app = Fastify()
  app.register(retrievalRoutes(context as unknown as ProviderContext))
  const answer = await app.inject(`/piece/${pieceCid}`)
  expect([answer.statusCode, answer.rawPayload.equals(bytes)]).toEqual([200, true])
  expect(store.listHeld()).toEqual([pieceCid])
  await app.close()
})
