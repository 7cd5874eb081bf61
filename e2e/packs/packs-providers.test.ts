/** Packs and the providers that keep them: a pack is one item to copy, and its members are what counts. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { showWhatIf } from '../../plugins/replacement/api.ts'
import { answerOf } from '../fixtures/admin-answers.ts'
import { countCachedBlobs } from '../fixtures/cached-files.ts'
import { checkAllCopies } from '../fixtures/check-copies.ts'
import { createAdvancingClock } from '../fixtures/gateways/serve-here.ts'
import { type Stage, type StoredObject, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import { completes, confirm, withReplacements } from '../replacement/scene.ts'

const settings = {
  ...{ 'packs.default': 'small', 'packs.idle': '500ms', 'packs.wait': '2s' },
  ...{ 'cache.fill_on_read': false, 'cache.eviction_policy': 'after_upload' },
} as const
const minuteMs = 60_000
/** A piece that was missing for so long is lost. */
const lostAfterMs = 24 * 60 * minuteMs

async function putAll(stage: Stage, count: number): Promise<readonly StoredObject[]> {
  const objects = await Promise.all(Array.from({ length: count }, (_, at) => stage.put(randomBytes(300 + at * 50))))
  for (const object of objects) await stage.stored(object)
  return objects
}

/** Reads from providers: nothing is cached any more. */
async function expectRead(stage: Stage, objects: readonly StoredObject[]): Promise<void> {
  await until('the cached bytes are evicted', async () => countCachedBlobs(stage.dir) === 0 || undefined)
  for (const object of objects) expect((await stage.get(object)).equals(object.bytes), object.key).toBe(true)
}

test('a replica with packs moves to another provider: each pack is one item, its members are counted, and they are read there', {
  timeout: 240_000,
}, async () => {
  await using stage = await startStage({ ...{ providers: 4, copies: 2 }, settings: { ...settings, ...withReplacements } })
  const { gateway } = stage
  const objects = await putAll(stage, 20)
  const packs = (await gateway.call('GET', '/api/v1/packs')).json.packs.length
  expect(packs).toBeLessThanOrEqual(3)
  const [source] = await stage.providers()
  const path = `/api/v1/storage-replacements/what-if?provider_id=${source?.providerId}`
  const bytes = String(objects.reduce((sum, object) => sum + object.bytes.length, 0))
  const risk = answerOf(showWhatIf, await gateway.call('GET', path))
  expect(risk).toMatchObject({
    stored: { contents: 20, versions: 20, bytes },
    lost: { contents: 0 },
    heal: { data_sets: 1, pieces: packs },
  })
  const confirmed = await confirm(stage)
  const during = await putAll(stage, 3)
  expect(await completes(stage, confirmed)).toMatchObject({ lastError: null, progress: { percent: 100 } })
  const { total } = (await completes(stage, confirmed)).progress
  expect(total).toBeGreaterThanOrEqual(packs)
  expect(total).toBeLessThanOrEqual(packs + 3)
  for (const object of [...objects, ...during]) {
    const { pack, copies } = await stage.stored(object)
    expect(pack).toBeDefined()
    expect(copies.map(({ provider_id }) => provider_id)).toContain(confirmed.providerId)
    expect(copies.map(({ provider_id }) => provider_id)).not.toContain(source?.providerId)
  }
  await expectRead(stage, [...objects, ...during])
  expect(await stage.settle([...objects, ...during])).toEqual([])
})

test('a pack that a provider has lost is stored there again, once for all its members', { timeout: 240_000 }, async () => {
  const clock = createAdvancingClock()
  await using stage = await startStage({ ...{ providers: 2, copies: 2, clock }, settings })
  const objects = await putAll(stage, 10)
  const before = await stage.stored(objects[0] as StoredObject)
  const path = `/api/v1/buckets/${stageBucket}/objects/provenance?version_id=${objects[0]?.versionId}`
  const [provider] = await stage.providers()
  const added = provider?.counters.addPiecesTransactions ?? 0
  provider?.collectGarbage(before.pieceCid)
  await checkAllCopies(stage.gateway)
  clock.advance(11 * minuteMs)
  await checkAllCopies(stage.gateway)
  clock.advance(lostAfterMs)
  const after = await until(
    'the pack is stored again',
    async () => {
      clock.advance(5 * minuteMs)
      await checkAllCopies(stage.gateway)
      const found = (await stage.gateway.call('GET', path)).json
      const isNew = ({ piece_id }: { readonly piece_id?: string }) => !before.copies.some((old) => old.piece_id === piece_id)
      return found.success_copies === 2 && found.copies.some(isNew) ? found : undefined
    },
    { withinMs: 120_000 },
  )
  expect(after.piece_cid).toBe(before.pieceCid)
  expect((provider?.counters.addPiecesTransactions ?? 0) - added).toBe(1)
  // Reads each member at each provider.
  const twice = expect.stringMatching(`^${before.pieceCid} on data set \\d+ was added 2 times$`)
  expect(await stage.settle(objects)).toEqual([twice])
})
