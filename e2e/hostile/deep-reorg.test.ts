/** Reorganisations deeper than `chain.confirmations`: confirmed pieces vanish, and new pieces get their ids. */
import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { countRows } from '../fixtures/gateways/gateway-database.ts'
import { type Stage, type StoredObject, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import type { Provenance } from '../fixtures/verify-copies.ts'

/** Each scenario has its own network, because a reorganisation affects every user of the chain. */
const scenario = (name: string, run: () => Promise<void>) => test.concurrent(name, { timeout: 240_000 }, run)

/** More epochs than a scenario lets pass between a transaction and its reorganisation. */
const deepFinality = 60

/** Two slots with data sets too old for the reorganisations of the scenario. */
async function startDeepStage(finalityEpochs: number) {
  const stage = await startStage({ providers: 2, copies: 2, blockTimeSeconds: 0.5, settings: { 'chain.finality_epochs': finalityEpochs } })
  const base = await stage.put()
  await stage.stored(base)
  await stage.network.devnet.chain.mine(deepFinality + 10)
  return { stage, base, fromEpoch: await stage.network.devnet.chain.epoch() }
}

/** Removes every addPieces after `fromEpoch` from the chain and holds it until `chain.release()`. */
async function rewind({ network: { devnet } }: Stage, fromEpoch: bigint): Promise<void> {
  await devnet.chain.hold()
  const addEpochs = devnet.providers
    .flatMap((provider) => provider.transactions().flatMap(({ kind, confirmedEpoch }) => (kind === 'add' ? (confirmedEpoch ?? []) : [])))
    .filter((epoch) => epoch > fromEpoch)
  await devnet.chain.reorg(Number(await devnet.chain.epoch()) - Math.min(...addEpochs) + 1)
}

const places = ({ copies }: Provenance) => copies.map(({ data_set_id, piece_id }) => `${data_set_id}/${piece_id}`).sort()

const areLive = ({ network }: Stage, { copies }: Provenance) =>
  Promise.all(copies.map(({ data_set_id, piece_id }) => network.devnet.pieceLive(BigInt(data_set_id), BigInt(piece_id))))

/** Waits until the API has shown each copy of the object as committing again. */
async function waitUntilUncommitted(stage: Stage, object: StoredObject): Promise<void> {
  const slots = new Set<number>()
  const { length } = await stage.providers()
  await until(
    'the vanished copies are shown as committing',
    async () => {
      for (const { copy_index, status } of await stage.copies(object)) if (status === 'committing') slots.add(copy_index)
      return slots.size === length || undefined
    },
    { withinMs: 120_000 },
  )
}

const remove = ({ s3 }: Stage, { key, versionId }: StoredObject) =>
  until('the permanent deletion is accepted', async () => {
    // Refused while the copies are unconfirmed, which the gateway may have detected already.
    const answer = await s3.send(new DeleteObjectCommand({ Bucket: stageBucket, Key: key, VersionId: versionId })).catch(() => undefined)
    return answer && true
  })

/** Mines blocks until the database has only `left` contents. */
const waitForContents = (stage: Stage, left: number) =>
  until(
    'the deletion of the contents',
    async () => {
      await stage.network.devnet.chain.mine(5)
      return countRows(stage.dir, 'contents') === left || undefined
    },
    { withinMs: 150_000, everyMs: 500 },
  )

const unfinal = `commit_batches where final_at is null and state <> 'closed'`

scenario(
  'I-27 I-28: after a deep reorganisation, deleting an object whose pieces vanished removes no other piece, and the others are committed again',
  async () => {
    const { stage, base, fromEpoch } = await startDeepStage(deepFinality)
    await using _ = stage
    const [deleted, kept] = await Promise.all([stage.put(), stage.put()])
    const [where, keptWhere] = [await stage.stored(deleted), await stage.stored(kept)]
    await rewind(stage, fromEpoch)
    await remove(stage, deleted)
    const newObjects = [await stage.put(), await stage.put()]
    const shown = waitUntilUncommitted(stage, kept)
    await stage.network.devnet.chain.release()
    const newPlaces = (await Promise.all(newObjects.map((object) => stage.stored(object)))).flatMap(places)
    const oldPlaces = new Set([...places(where), ...places(keptWhere)])
    expect(newPlaces.some((place) => oldPlaces.has(place))).toBe(true)
    await shown
    await stage.stored(kept)
    await waitForContents(stage, 4)
    for (const object of newObjects) expect(await areLive(stage, await stage.stored(object))).toEqual([true, true])
    expect(await stage.settle([base, kept, ...newObjects])).toEqual([])
  },
)

scenario('I-28: a removal is withheld even after a reorganisation deeper than chain.finality_epochs', async () => {
  const { stage, base, fromEpoch } = await startDeepStage(3)
  await using _ = stage
  const deleted = await stage.put()
  const where = await stage.stored(deleted)
  await until('the finality of every commit', async () => (countRows(stage.dir, unfinal) === 0 ? true : undefined))
  await rewind(stage, fromEpoch)
  await remove(stage, deleted)
  await until('the return of the copies to an unconfirmed state', async () => (countRows(stage.dir, unfinal) > 0 ? true : undefined))
  const newObject = await stage.put()
  await stage.network.devnet.chain.release()
  expect(places(await stage.stored(newObject)).some((place) => places(where).includes(place))).toBe(true)
  await waitForContents(stage, 2)
  expect(await areLive(stage, await stage.stored(newObject))).toEqual([true, true])
  const removals = stage.network.devnet.providers.flatMap((provider) => provider.transactions().filter(({ kind }) => kind === 'remove'))
  expect(removals.map(({ ok }) => ok)).toEqual([true, true])
  expect(await stage.settle([base, newObject])).toEqual([])
})
