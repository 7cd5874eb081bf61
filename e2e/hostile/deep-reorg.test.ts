/** Reorganisations deeper than `chain.confirmations`: pieces that were confirmed vanish, and others get their ids. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { type Stage, type StoredObject, stageBucket, startStage } from '../fixtures/stage.ts'
import { until } from '../fixtures/until.ts'
import type { Provenance } from '../fixtures/verify-copies.ts'

/** Each scenario has a network of its own, because a reorganisation is everybody's. */
const scenario = (name: string, run: () => Promise<void>) => test.concurrent(name, { timeout: 240_000 }, run)

/** More than the epochs of a scenario between a landing and its reorganisation. */
const deepFinality = 60

/** Two slots with data sets that no reorganisation of the scenario reaches. */
async function startDeepStage(finalityEpochs: number) {
  const stage = await startStage({ providers: 2, copies: 2, blockTimeSeconds: 0.5, settings: { 'chain.finality_epochs': finalityEpochs } })
  const base = await stage.put()
  await stage.stored(base)
  await stage.network.devnet.chain.mine(deepFinality + 10)
  return { stage, base, fromEpoch: await stage.network.devnet.chain.epoch() }
}

/** Takes back every addition after `fromEpoch`; the chain stands still until it is released. */
async function rewind({ network: { devnet } }: Stage, fromEpoch: bigint): Promise<void> {
  await devnet.chain.hold()
  const landings = devnet.providers
    .flatMap((provider) => provider.transactions().flatMap(({ kind, confirmedEpoch }) => (kind === 'add' ? (confirmedEpoch ?? []) : [])))
    .filter((epoch) => epoch > fromEpoch)
  await devnet.chain.reorg(Number(await devnet.chain.epoch()) - Math.min(...landings) + 1)
}

const places = ({ copies }: Provenance) => copies.map(({ data_set_id, piece_id }) => `${data_set_id}/${piece_id}`).sort()

const areLive = ({ network }: Stage, { copies }: Provenance) =>
  Promise.all(copies.map(({ data_set_id, piece_id }) => network.devnet.pieceLive(BigInt(data_set_id), BigInt(piece_id))))

/** Waits until each copy of the object has been shown as one that is not committed. */
async function eachUndecided(stage: Stage, object: StoredObject): Promise<void> {
  const slots = new Set<number>()
  const { length } = await stage.providers()
  await until(
    'the vanished copies are not shown as committed',
    async () => {
      for (const { copy_index, status } of await stage.copies(object)) if (status === 'committing') slots.add(copy_index)
      return slots.size === length || undefined
    },
    { withinMs: 120_000 },
  )
}

const remove = ({ s3 }: Stage, { key, versionId }: StoredObject) =>
  until('the permanent deletion is accepted', async () => {
    // Refused while the copies are undecided, which the gateway may have found out already.
    const answer = await s3.send(new DeleteObjectCommand({ Bucket: stageBucket, Key: key, VersionId: versionId })).catch(() => undefined)
    return answer && true
  })

/** Waits until so many objects are left on record, while epochs pass quickly. */
const forgotten = (stage: Stage, left: number) =>
  until(
    'nothing is left of the deleted object',
    async () => {
      await stage.network.devnet.chain.mine(5)
      return count(stage, 'contents') === left || undefined
    },
    { withinMs: 150_000, everyMs: 500 },
  )

const unfinal = `commit_batches where final_at is null and state <> 'closed'`

function count({ dir }: Stage, rows: string): number {
  using database = new DatabaseSync(join(dir, 'db', 'svc.db'), { readOnly: true })
  return Number(database.prepare(`select count(*) as n from ${rows}`).get()?.n)
}

scenario(
  'I-27 I-28: after a deep reorganisation the deletion of a vanished object removes no other, and the others are committed again',
  async () => {
    const { stage, base, fromEpoch } = await startDeepStage(deepFinality)
    await using _ = stage
    const [doomed, kept] = await Promise.all([stage.put(), stage.put()])
    const [where, keptWhere] = [await stage.stored(doomed), await stage.stored(kept)]
    await rewind(stage, fromEpoch)
    await remove(stage, doomed)
    const newcomers = [await stage.put(), await stage.put()]
    const shown = eachUndecided(stage, kept)
    await stage.network.devnet.chain.release()
    const newPlaces = (await Promise.all(newcomers.map((object) => stage.stored(object)))).flatMap(places)
    const oldPlaces = new Set([...places(where), ...places(keptWhere)])
    expect(newPlaces.some((place) => oldPlaces.has(place))).toBe(true)
    await shown
    await stage.stored(kept)
    await forgotten(stage, 4)
    for (const object of newcomers) expect(await areLive(stage, await stage.stored(object))).toEqual([true, true])
    expect(await stage.settle([base, kept, ...newcomers])).toEqual([])
  },
)

scenario('I-28: a removal is withheld even when the reorganisation was deeper than the finality that the operator chose', async () => {
  const { stage, base, fromEpoch } = await startDeepStage(3)
  await using _ = stage
  const doomed = await stage.put()
  const where = await stage.stored(doomed)
  await until('everything is final by the record', async () => (count(stage, unfinal) === 0 ? true : undefined))
  await rewind(stage, fromEpoch)
  await remove(stage, doomed)
  await until('the copies go back to their nonces', async () => (count(stage, unfinal) > 0 ? true : undefined))
  const newcomer = await stage.put()
  await stage.network.devnet.chain.release()
  expect(places(await stage.stored(newcomer)).some((place) => places(where).includes(place))).toBe(true)
  await forgotten(stage, 2)
  expect(await areLive(stage, await stage.stored(newcomer))).toEqual([true, true])
  const removals = stage.network.devnet.providers.flatMap((provider) => provider.transactions().filter(({ kind }) => kind === 'remove'))
  expect(removals.map(({ ok }) => ok)).toEqual([true, true])
  expect(await stage.settle([base, newcomer])).toEqual([])
})
