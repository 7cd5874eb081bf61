import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DeleteObjectCommand, ListObjectVersionsCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import type { Fault } from '../../devnet/faults.ts'
import { checkDatabase } from '../fixtures/check-database.ts'
import { startGateway } from '../fixtures/gateway-process.ts'
import { type Stage, type StoredObject, stageBucket, startStage } from '../fixtures/stage.ts'
import { readTasks } from '../fixtures/task-gateway.ts'
import { until } from '../fixtures/until.ts'
import type { Provenance } from '../fixtures/verify-copies.ts'

/** Each scenario has a network of its own, so that they may run at the same time. */
const scenario = (name: string, run: () => Promise<void>) => test.concurrent(name, { timeout: 180_000 }, run)

const removalTransactions = ({ network }: Stage) =>
  network.devnet.providers.flatMap((provider) => provider.transactions().filter(({ kind }) => kind === 'remove'))

const areLive = async ({ network }: Stage, { copies }: Provenance) =>
  Promise.all(copies.map(({ data_set_id, piece_id }) => network.devnet.pieceLive(BigInt(data_set_id), BigInt(piece_id))))

/** Two stored objects on one provider each slot: one to delete, one to keep. */
async function startRemovalStage({ copies = 1, killAt }: { readonly copies?: number; readonly killAt?: string } = {}) {
  const stage = await startStage({ providers: copies, copies, ...(killAt !== undefined && { killAt }) })
  const [doomed, kept] = [await stage.put(), await stage.put()]
  return { stage, doomed, kept, where: await stage.stored(doomed), keptWhere: await stage.stored(kept) }
}

const remove = ({ s3 }: Stage, { key, versionId }: StoredObject) =>
  s3.send(new DeleteObjectCommand({ Bucket: stageBucket, Key: key, VersionId: versionId }))

/** Waits until no copy of the place is on chain any more. */
const gone = (stage: Stage, where: Provenance) =>
  until('the pieces leave the chain', async () => (await areLive(stage, where)).every((isLive) => !isLive) || undefined, {
    withinMs: 90_000,
  })

/** Waits until every cleanup task ended well. */
const cleaned = (stage: Pick<Stage, 'tasks'>) =>
  until(
    'the cleanup ends',
    async () => {
      const tasks = (await stage.tasks()).filter(({ type }) => type === 'storage_cleanup')
      return (tasks.length > 0 && tasks.every(({ status }) => status === 'completed')) || undefined
    },
    { withinMs: 60_000 },
  )

scenario('a deleted version is hidden at once, and its pieces leave the chain by one transaction each', async () => {
  const { stage, doomed, kept, where, keptWhere } = await startRemovalStage({ copies: 2 })
  await using _ = stage
  await remove(stage, doomed)
  await expect(stage.get(doomed)).rejects.toMatchObject({ name: 'NoSuchKey' })
  const listed = await stage.s3.send(new ListObjectVersionsCommand({ Bucket: stageBucket }))
  expect(listed.Versions?.map(({ Key }) => Key)).toEqual([kept.key])
  await stage.waits('storage_cleanup', 'proving_period')
  expect(await areLive(stage, where)).toEqual([true, true])
  await gone(stage, where)
  await cleaned(stage)
  expect(removalTransactions(stage).map(({ ok }) => ok)).toEqual([true, true])
  expect(await areLive(stage, keptWhere)).toEqual([true, true])
  expect(await stage.get(kept)).toEqual(kept.bytes)
  expect(await stage.settle([kept])).toEqual([])
  expect(countRows(stage, 'contents')).toBe(1)
})

scenario('copies that other versions share stay, and the same bytes put again are stored anew', async () => {
  await using stage = await startStage({ providers: 1, copies: 1 })
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
  expect(removalTransactions(stage)).toHaveLength(1)
  await stage.gateway.stop()
  expect(await checkDatabase(stage.dir, stage.network.devnet)).toEqual([])
})

const answersLost = [
  ['closes the connection', 'drop_answer'],
  ['answers 500', 'fail_answer'],
] as const

for (const [what, kind] of answersLost) {
  scenario(`I-05: a provider that broadcasts the removal and then ${what}: it is looked up, not sent again`, async () => {
    const { stage, doomed, kept, where } = await startRemovalStage()
    await using _ = stage
    place(stage, { kind, routes: ['pieces_delete'], count: 1 })
    await remove(stage, doomed)
    await gone(stage, where)
    await cleaned(stage)
    expect(removalTransactions(stage)).toHaveLength(1)
    expect(await stage.settle([kept])).toEqual([])
  })
}

scenario('I-08: a full removal queue is waited for without using an attempt', async () => {
  const { stage, doomed, kept, where } = await startRemovalStage()
  await using _ = stage
  place(stage, { kind: 'answer', status: 429, retryAfterSeconds: 2, routes: ['pieces_delete'], count: 2 })
  await remove(stage, doomed)
  await stage.waits('storage_cleanup', 'provider_busy')
  await gone(stage, where)
  await cleaned(stage)
  expect(removalTransactions(stage)).toHaveLength(1)
  expect(await stage.settle([kept])).toEqual([])
})

scenario('a version deleted while its copies are on the way ends with none', async () => {
  await using stage = await startStage({ providers: 2, copies: 2 })
  const kept = await stage.put()
  await stage.stored(kept)
  place(stage, { kind: 'delay', delayMs: 3000, routes: ['pieces_add'], count: 1 })
  const doomed = await stage.put()
  await until('a copy on its way', async () => (await stage.copies(doomed)).find(({ status }) => status === 'committing'), { everyMs: 20 })
  await remove(stage, doomed)
  await until('nothing is left of it', async () => countRows(stage, 'contents') === 1 || undefined, { withinMs: 120_000 })
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

for (const probe of probes) {
  scenario(`I-04 I-05 I-09: killed at ${probe}, the removal ends with one transaction`, async () => {
    const { stage, doomed, where } = await startRemovalStage({ killAt: probe })
    await using _ = stage
    const { devnet, privateKey } = stage.network
    // The process may be killed during the request.
    await remove(stage, doomed).catch(() => undefined)
    expect(await stage.gateway.ended, `the probe ${probe} was not reached`).toBe('SIGKILL')
    await using gateway = await startGateway({ dir: stage.dir, devnet, privateKey })
    await gone(stage, where)
    const tasks = async () => (await readTasks(gateway, '?limit=100')).tasks
    await cleaned({ tasks })
    expect(removalTransactions(stage).filter(({ ok }) => ok === true)).toHaveLength(1)
    await gateway.stop()
    expect(await checkDatabase(stage.dir, devnet)).toEqual([])
  })
}

function place(stage: Stage, ...faults: readonly Fault[]): void {
  for (const provider of stage.network.devnet.providers) for (const fault of faults) provider.faults.add(fault)
}

function countRows({ dir }: Stage, table: string): number {
  const database = new DatabaseSync(join(dir, 'db', 'svc.db'), { readOnly: true })
  try {
    return Number(database.prepare(`select count(*) as n from ${table}`).get()?.n)
  } finally {
    database.close()
  }
}
