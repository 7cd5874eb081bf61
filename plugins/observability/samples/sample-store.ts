import type { Selectable } from 'kysely'
import { type Params, type Reader, sqlStatement, statementsOver, type TablesOf, type Tx } from '#kernel'
import type { CopyCheck, CopyCheckResult, RemoteCopy } from '#plugins/replication'
import type { copySampleEntity } from './copy-sample-entity.ts'
import { type SampleUse, samplesDailyMax } from './daily-allowance.ts'
import type { sampleRunEntity } from './sample-run-entity.ts'

type Tables = TablesOf<typeof copySampleEntity | typeof sampleRunEntity>
const statement = statementsOver<Tables>()

/** Failures that are listed. */
const failuresShown = 100

export type SampleRun = Selectable<Tables['sample_runs']>

type SampleCounts = Readonly<Record<CopyCheckResult | 'copies' | 'bytes', number>>

type NewSample = RemoteCopy & CopyCheck & { readonly atMs: number; readonly text: string | null; readonly ofDoubt: number }
const insert = statement(
  (
    db,
    sample: Params<Pick<NewSample, 'copyId' | 'dataSetId' | 'providerId' | 'pieceCid' | 'result' | 'bytes' | 'atMs' | 'text' | 'ofDoubt'>>,
  ) =>
    db.insertInto('copy_samples').values({
      at: sample.atMs,
      copy_id: sample.copyId,
      data_set_id: sample.dataSetId,
      provider_id: sample.providerId,
      piece_cid: sample.pieceCid,
      result: sample.result,
      bytes: sample.bytes,
      message: sample.text,
      of_doubt: sample.ofDoubt,
    }),
)
const prune = sqlStatement<Record<never, never>>(
  `delete from copy_samples where id <= (select max(id) from copy_samples) - ${samplesDailyMax}`,
)

const sum = (result: CopyCheckResult) => `cast(coalesce(sum(case when result = '${result}' then 1 else 0 end), 0) as bigint) as ${result}`
const countSince = sqlStatement<{ sinceMs: number }, SampleCounts>(
  `select count(*) as copies, cast(coalesce(sum(bytes), 0) as bigint) as bytes, ${sum('intact')}, ${sum('missing')}, ${sum('wrong_bytes')},
     ${sum('unreachable')} from copy_samples where at > :sinceMs`,
)

const sumUse = sqlStatement<{ sinceMs: number }, Omit<SampleUse, 'isDoubt'> & { ofDoubt: number }>(
  `select provider_id as "providerId", of_doubt as "ofDoubt", count(*) as copies, cast(coalesce(sum(bytes), 0) as bigint) as bytes from copy_samples
   where at > :sinceMs group by provider_id, of_doubt`,
)

const listFailed = statement((db) =>
  db
    .selectFrom('copy_samples')
    .selectAll()
    .where('result', '<>', 'intact')
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(failuresShown),
)

const findLast = statement((db, { copyIds }: Params<{ copyIds: readonly number[] }>) =>
  db
    .selectFrom('copy_samples')
    .select(['copy_id as copyId', 'at as atMs', 'result', 'piece_cid as pieceCid'])
    .where('copy_id', 'in', copyIds)
    .orderBy('at'),
)

const findRun = statement((db) => db.selectFrom('sample_runs').selectAll().orderBy('task_id', 'desc').limit(1))
const dropRuns = statement((db) => db.deleteFrom('sample_runs'))
const addRun = statement((db, row: Params<{ taskId: number; perMillion: number; planned: number; nowMs: number }>) =>
  db.insertInto('sample_runs').values({ task_id: row.taskId, per_million: row.perMillion, planned: row.planned, started_at: row.nowMs }),
)
const advance = sqlStatement<{ taskId: number; afterCopy: number } & SampleCounts>(
  `update sample_runs set after_copy = :afterCopy, copies = copies + :copies, bytes = bytes + :bytes, intact = intact + :intact,
     missing = missing + :missing, wrong_bytes = wrong_bytes + :wrong_bytes, unreachable = unreachable + :unreachable where task_id = :taskId`,
)
const finish = statement((db, { taskId, nowMs }: Params<{ taskId: number; nowMs: number }>) =>
  db.updateTable('sample_runs').set({ finished_at: nowMs }).where('task_id', '=', taskId),
)

type Sampled = CopyCheck & { readonly atMs: number; readonly isDoubt: boolean }

export async function recordSample(tx: Tx, copy: RemoteCopy, check: Sampled): Promise<void> {
  const { copyId, dataSetId, providerId, pieceCid } = copy
  const { atMs, isDoubt, result, bytes, message: text = null } = check
  await tx.run(insert, { copyId, dataSetId, providerId, pieceCid, atMs, result, bytes, text, ofDoubt: Number(isDoubt) })
  await tx.run(prune, {})
}

export const countSamples = async (read: Reader, sinceMs: number): Promise<SampleCounts> =>
  (await read.get(countSince, { sinceMs })) ?? { copies: 0, bytes: 0, intact: 0, missing: 0, wrong_bytes: 0, unreachable: 0 }

export const useSince = async (read: Reader, sinceMs: number): Promise<readonly SampleUse[]> =>
  (await read.all(sumUse, { sinceMs })).map(({ ofDoubt, ...use }) => ({ ...use, isDoubt: ofDoubt === 1 }))

export const failedSamples = (read: Reader) => read.all(listFailed)

/** The last sample of each copy. Ids of copies may be used again: the piece CID tells. */
export async function lastSamples(read: Reader, copies: readonly Pick<RemoteCopy, 'copyId' | 'pieceCid'>[]) {
  const found = copies.length === 0 ? [] : await read.all(findLast, { copyIds: copies.map(({ copyId }) => copyId) })
  const cids = new Map(copies.map(({ copyId, pieceCid }) => [copyId, pieceCid]))
  return new Map(found.flatMap((sample) => (cids.get(sample.copyId) === sample.pieceCid ? [[sample.copyId, sample] as const] : [])))
}

export const findSampleRun = (read: Reader): Promise<SampleRun | undefined> => read.get(findRun)

/** Replaces the last run. */
export async function beginSampleRun(tx: Tx, run: { taskId: number; perMillion: number; planned: number; nowMs: number }): Promise<void> {
  await tx.run(dropRuns)
  await tx.run(addRun, run)
}

export async function advanceSampleRun(tx: Tx, taskId: number, afterCopy: number, check?: CopyCheck): Promise<void> {
  const counts = { copies: 0, bytes: check?.bytes ?? 0, intact: 0, missing: 0, wrong_bytes: 0, unreachable: 0 }
  await tx.run(advance, { taskId, afterCopy, ...counts, ...(check && { copies: 1, [check.result]: 1 }) })
}

export async function finishSampleRun(tx: Tx, taskId: number, nowMs: number): Promise<void> {
  await tx.run(finish, { taskId, nowMs })
}
