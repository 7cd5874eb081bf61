import { DeleteObjectCommand, ListObjectVersionsCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import type { Fault } from '../../devnet/faults.ts'
import { checkDatabase } from '../fixtures/check-database.ts'
import { countRows } from '../fixtures/gateways/gateway-database.ts'
import {
  restartStage,
  type Stage,
  type StageOptions,
  type StoredObject,
  stageBucket,
  startProcessStage,
  startStage,
} from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import type { Provenance } from '../fixtures/verify-copies.ts'

/** Scenarios with faults have separate devnets, so that all can run at the same time. */
const scenario = (name: string, run: () => Promise<void>) => test.concurrent(name, { timeout: 180_000 }, run)

/** Proving periods, with which removals take effect, pass in 5 s. */
const blockTimeSeconds = 0.25

/** Removal transactions for the data sets of these copies. */
function removalTransactions({ network }: Stage, { copies }: Provenance) {
  const dataSetIds = new Set(copies.map(({ data_set_id }) => Number(data_set_id)))
  const transactions = network.devnet.providers.flatMap((provider) => provider.transactions())
  return transactions.filter(({ kind, dataSetId = 0 }) => kind === 'remove' && dataSetIds.has(dataSetId))
}

const areLive = async ({ network }: Stage, { copies }: Provenance) =>
  Promise.all(copies.map(({ data_set_id, piece_id }) => network.devnet.pieceLive(BigInt(data_set_id), BigInt(piece_id))))

/** Two stored objects, one to delete and one to keep. Default: one copy, at the only provider. */
async function startRemovalStage(options: StageOptions = { providers: 1, copies: 1, blockTimeSeconds }) {
  const stage = await startStage(options)
  const [doomed, kept] = [await stage.put(), await stage.put()]
  return { stage, doomed, kept, where: await stage.stored(doomed), keptWhere: await stage.stored(kept) }
}

const remove = ({ s3 }: Pick<Stage, 's3'>, { key, versionId }: StoredObject) =>
  s3.send(new DeleteObjectCommand({ Bucket: stageBucket, Key: key, VersionId: versionId }))

/** Waits until none of the copies is live on chain. */
const gone = (stage: Stage, where: Provenance) =>
  until('the pieces leave the chain', async () => (await areLive(stage, where)).every((isLive) => !isLive) || undefined, {
    withinMs: 90_000,
  })

/** Waits until all cleanup tasks are completed. */
const cleaned = (stage: Pick<Stage, 'tasks'>) =>
  until(
    'the cleanup ends',
    async () => {
      const tasks = (await stage.tasks()).filter(({ type }) => type === 'storage_cleanup')
      return (tasks.length > 0 && tasks.every(({ status }) => status === 'completed')) || undefined
    },
    { withinMs: 60_000 },
  )

scenario('a deleted version is hidden at once, and each of its pieces is removed from the chain by one transaction', async () => {
  const { stage, doomed, kept, where, keptWhere } = await startRemovalStage({ providers: 2, copies: 2, blockTimeSeconds })
  await using _ = stage
  place(stage, { kind: 'stop_proving' })
  await remove(stage, doomed)
  await expect(stage.get(doomed)).rejects.toMatchObject({ name: 'NoSuchKey' })
  const listed = await stage.s3.send(new ListObjectVersionsCommand({ Bucket: stageBucket }))
  expect(listed.Versions?.map(({ Key }) => Key)).toEqual([kept.key])
  await stage.waits('storage_cleanup', 'proving_period')
  expect(await areLive(stage, where)).toEqual([true, true])
  for (const { faults } of stage.network.devnet.providers) faults.clear()
  await gone(stage, where)
  await cleaned(stage)
  expect(removalTransactions(stage, where).map(({ ok }) => ok)).toEqual([true, true])
  expect(await areLive(stage, keptWhere)).toEqual([true, true])
  expect(await stage.get(kept)).toEqual(kept.bytes)
  expect(await stage.settle([kept])).toEqual([])
  expect(countRows(stage.dir, 'contents')).toBe(1)
})

scenario('copies shared with other versions stay, and the same bytes are stored again after their removal', async () => {
  await using stage = await startStage({ copies: 1 })
  const first = await stage.put()
  const second = await stage.put(first.bytes)
  const where = await stage.stored(first)
  await remove(stage, first)
  expect(await stage.get(second)).toEqual(first.bytes)
  await remove(stage, second)
  const third = await stage.put(first.bytes)
  const again = await stage.stored(third)
  expect(again.copies[0]?.piece_id).not.toBe(where.copies[0]?.piece_id)
  await gone(stage, where)
  await cleaned(stage)
  expect(await areLive(stage, again)).toEqual([true])
  expect(await stage.get(third)).toEqual(first.bytes)
  expect(removalTransactions(stage, where)).toHaveLength(1)
  await stage.gateway.stop()
  expect(await checkDatabase(stage.dir, stage.network.devnet)).toEqual([])
})

const answersLost = [
  ['closes the connection', 'drop_answer'],
  ['answers 500', 'fail_answer'],
] as const

for (const [what, kind] of answersLost) {
  scenario(`I-05: a provider that broadcasts the removal and then ${what} does not get it a second time`, async () => {
    const { stage, doomed, kept, where } = await startRemovalStage()
    await using _ = stage
    place(stage, { kind, routes: ['pieces_delete'], count: 1 })
    await remove(stage, doomed)
    await gone(stage, where)
    await cleaned(stage)
    expect(removalTransactions(stage, where)).toHaveLength(1)
    expect(await stage.settle([kept])).toEqual([])
  })
}

scenario('I-08: waiting for a full removal queue uses no attempt', async () => {
  const { stage, doomed, kept, where } = await startRemovalStage()
  await using _ = stage
  place(stage, { kind: 'answer', status: 429, retryAfterSeconds: 2, routes: ['pieces_delete'], count: 2 })
  await remove(stage, doomed)
  await stage.waits('storage_cleanup', 'provider_busy')
  await gone(stage, where)
  await cleaned(stage)
  expect(removalTransactions(stage, where)).toHaveLength(1)
  expect(await stage.settle([kept])).toEqual([])
})

scenario('a version deleted during the commit of its copies ends without copies', async () => {
  await using stage = await startStage({ providers: 2, copies: 2, blockTimeSeconds })
  const kept = await stage.put()
  await stage.stored(kept)
  place(stage, { kind: 'delay', delayMs: 3000, routes: ['pieces_add'], count: 1 })
  const doomed = await stage.put()
  await until('a copy in progress', async () => (await stage.copies(doomed)).find(({ status }) => status === 'committing'), { everyMs: 20 })
  await remove(stage, doomed)
  await until('nothing is left of it', async () => countRows(stage.dir, 'contents') === 1 || undefined, { withinMs: 120_000 })
  for (const dataSet of (await stage.gateway.call('GET', `/api/v1/buckets/${stageBucket}`)).json.data_sets) {
    expect(dataSet.committed_copies).toBe(1)
  }
  expect(await stage.settle([kept])).toEqual([])
})

const probes = [
  'storage.delete.committed',
  'storage.remove.recorded',
  'storage.remove.sent',
  'storage.remove.settled',
  'storage.remove.scheduled',
  'storage.remove.removed',
]

/** Each chain of probes has one directory, whose gateway is killed and started again for each of them. */
const chains = [probes.slice(0, 3), probes.slice(3)]

for (const chain of chains) {
  scenario(`I-04 I-05 I-09: killed at ${chain.join(', ')}, each removal ends with one transaction`, async () => {
    await using stack = new AsyncDisposableStack()
    let stage = stack.use(await startProcessStage({ copies: 1, killAt: '' }))
    for (const probe of chain) {
      const doomed = await stage.put()
      const where = await stage.stored(doomed)
      const removals = () => removalTransactions(stage, where).filter(({ ok }) => ok === true).length
      const removedBefore = removals()
      stage.gateway.killAt(probe)
      // The process may die during the request.
      await remove(stage, doomed).catch(() => undefined)
      expect(await stage.gateway.ended, `the probe ${probe} was not reached`).toBe('SIGKILL')
      stage = stack.use(await restartStage(stage, { killAt: '' }))
      await gone(stage, where)
      await cleaned(stage)
      expect(removals() - removedBefore, `removals after the kill at ${probe}`).toBe(1)
    }
    await stage.gateway.stop()
    expect(await checkDatabase(stage.dir, stage.network.devnet)).toEqual([])
  })
}

function place(stage: Stage, ...faults: readonly Fault[]): void {
  for (const provider of stage.network.devnet.providers) for (const fault of faults) provider.faults.add(fault)
}
