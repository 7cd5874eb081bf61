import { type Expression, sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import { type Params, sqlStatement, statementsOver } from '../../db/statement.ts'
import { type TaskRecord, taskColumns } from '../task-record.ts'
import { moveCounts } from './counter-store.ts'
import type { LeaseTimes } from './lease-times.ts'
import type { TaskTables } from './task-tables.ts'

/** Identifies a claim. Later writes name it and change nothing after another claim (I-06). */
export interface Lease {
  readonly id: number
  readonly kind: string
  readonly seq: number
}

interface ClaimRequest {
  /** How many tasks of each kind may start; other kinds are not claimed (I-14). */
  readonly free: ReadonlyMap<string, number>
  /** How many more tasks of a kind may start besides those already claimed, which may share its limit. */
  readonly roomBeside?: (kind: string, claimed: readonly TaskRecord[]) => number
  readonly total: number
  readonly owner: string
  readonly nowMs: number
  readonly lease: LeaseTimes
}

/** Expired leases reclaimed in one claim; the next claim continues. */
const reclaimsMax = 100

const statement = statementsOver<TaskTables>()

const findDue = statement((db, { kind, nowMs, limit }: Params<{ kind: string; nowMs: number; limit: number }>) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('kind', '=', kind)
    .where('status', '=', 'pending')
    .where('run_at', '<=', nowMs)
    .orderBy('run_at')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked(),
)

const isDue = `exists (select 1 from tasks t where t.kind = k.kind and t.status = 'pending' and t.run_at <= :nowMs)`
/** One search of the index for each kind. Most claims find tasks of one kind, so that one statement replaces many. */
const findDueKinds = sqlStatement<{ kinds: readonly string[]; nowMs: number }, { kind: string }>({
  sqlite: `select k.kind from (select value as kind from json_each(:kinds)) k where ${isDue}`,
  postgres: `select k.kind from unnest(cast(:kinds as text[])) as k (kind) where ${isDue}`,
})

interface Claimed {
  readonly ids: readonly number[]
  readonly nowMs: number
  readonly owner: string
  readonly leaseUntilMs: number
}

const claim = statement((db, { ids, nowMs, owner, leaseUntilMs }: Params<Claimed>) =>
  db
    .updateTable('tasks')
    .set({
      status: 'running',
      lease_owner: owner,
      lease_until: leaseUntilMs,
      lease_seq: sql`lease_seq + 1`,
      is_backing_off: 0,
      wait_reason: null,
      message: null,
      // This run fulfils reruns requested until now; a later scheduled rerun stays.
      again_at: sql`case when again_at <= ${nowMs} then null else again_at end`,
      started_at: nowMs,
      updated_at: nowMs,
    })
    .where('id', 'in', ids)
    .returning(taskColumns),
)

const findExpired = statement((db, { leaseNowMs, limit }: Params<{ leaseNowMs: number; limit: number }>) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('status', '=', 'running')
    .where('lease_until', '<=', leaseNowMs)
    .limit(limit)
    .forUpdate()
    .skipLocked(),
)

/** Makes the tasks of a dead or stopped owner due at once. */
const released = (nowMs: Expression<number>) =>
  ({ status: 'pending', run_at: nowMs, lease_owner: null, lease_until: null, updated_at: nowMs }) as const

const release = statement((db, { ids, nowMs }: Params<{ ids: readonly number[]; nowMs: number }>) =>
  db.updateTable('tasks').set(released(nowMs)).where('id', 'in', ids).returning('kind'),
)

const releaseOwned = statement((db, { owner, nowMs }: Params<{ owner: string; nowMs: number }>) =>
  db.updateTable('tasks').set(released(nowMs)).where('status', '=', 'running').where('lease_owner', '=', owner).returning('kind'),
)

const nextLease = statement((db) =>
  db
    .selectFrom('tasks')
    .select(({ fn }) => fn.min('lease_until').as('at'))
    .where('status', '=', 'running'),
)

/** One search of the index for each kind that ever had a pending task. */
const nextDue = sqlStatement<{ kinds: readonly string[] }, { at: number | null }>(
  `select min(at) as at from (
     select (select min(t.run_at) from tasks t where t.kind = c.kind and t.status = 'pending') as at
     from task_counts c where c.status = 'pending' and c.acknowledged = 0 and c.kind in :kinds) due`,
)

const renew = statement((db, { id, seq, untilMs }: Params<{ id: number; seq: number; untilMs: number }>) =>
  db.updateTable('tasks').set({ lease_until: untilMs }).where('id', '=', id).where('lease_seq', '=', seq).where('status', '=', 'running'),
)

/** Locks the row, so that no other claim takes the lease before the commit. */
const findHeld = statement((db, { id, seq }: Params<{ id: number; seq: number }>) =>
  db
    .selectFrom('tasks')
    .select('again_at as againAtMs')
    .where('id', '=', id)
    .where('lease_seq', '=', seq)
    .where('status', '=', 'running')
    .forUpdate(),
)

/** Reclaims expired leases, then leases due tasks, longest due first within a kind. */
export async function claimTasks(tx: Tx, { free, roomBeside, total, owner, nowMs, lease }: ClaimRequest): Promise<readonly TaskRecord[]> {
  await reclaimExpired(tx, lease.nowMs, nowMs)
  const claimed: TaskRecord[] = []
  const due = new Set((await tx.all(findDueKinds, { kinds: [...free.keys()], nowMs })).map(({ kind }) => kind))
  for (const [kind, slots] of free) {
    if (!due.has(kind)) continue
    const limit = Math.min(slots, total - claimed.length, roomBeside?.(kind, claimed) ?? slots)
    if (limit <= 0) continue
    const ids = (await tx.all(findDue, { kind, nowMs, limit })).map(({ id }) => id)
    if (ids.length === 0) continue
    const tasks = await tx.all(claim, { ids, nowMs, owner, leaseUntilMs: lease.untilMs })
    await moveCounts(tx, kind, ['pending', 'running'], tasks.length)
    // A returning clause has no order.
    claimed.push(...tasks.sort((a, b) => a.runAtMs - b.runAtMs || a.id - b.id))
  }
  return claimed
}

async function reclaimExpired(tx: Tx, leaseNowMs: number, nowMs: number): Promise<void> {
  const ids = (await tx.all(findExpired, { leaseNowMs, limit: reclaimsMax })).map(({ id }) => id)
  if (ids.length > 0) await countReleased(tx, await tx.all(release, { ids, nowMs }))
}

async function countReleased(tx: Tx, tasks: readonly { readonly kind: string }[]): Promise<void> {
  for (const [kind, { length }] of Map.groupBy(tasks, (task) => task.kind)) await moveCounts(tx, kind, ['running', 'pending'], length)
}

interface NextTimes {
  /** When the next lease expires, by the clock of the database. */
  readonly leaseAtMs: number
  /** When the next task is due, by the clock of this process. */
  readonly runAtMs: number
}

/** The next times at which a claim of these kinds may find a task; infinite without such a task. */
export async function findNextTimes(reader: Reader, kinds: readonly string[]): Promise<NextTimes> {
  const lease = await reader.get(nextLease)
  const due = await reader.get(nextDue, { kinds })
  return { leaseAtMs: lease?.at ?? Number.POSITIVE_INFINITY, runAtMs: due?.at ?? Number.POSITIVE_INFINITY }
}

/** Extends the leases and returns the ids of lost ones. */
export async function renewLeases(tx: Tx, leases: readonly Lease[], untilMs: number): Promise<readonly number[]> {
  const lost: number[] = []
  for (const { id, seq } of leases) {
    // I-06
    const { changes } = await tx.run(renew, { id, seq, untilMs })
    if (changes === 0) lost.push(id)
  }
  return lost
}

interface HeldTask {
  /** When a rerun was requested for. */
  readonly againAtMs: number | null
}

/** Returns undefined when the lease was lost; otherwise it stays held until the commit (I-06). */
export async function lockHeld(tx: Tx, { id, seq }: Lease): Promise<HeldTask | undefined> {
  return tx.get(findHeld, { id, seq })
}

/** Releases this owner's leases without counting attempts, and returns the number of tasks. */
export async function releaseLeases(tx: Tx, owner: string, nowMs: number): Promise<number> {
  const tasks = await tx.all(releaseOwned, { owner, nowMs })
  await countReleased(tx, tasks)
  return tasks.length
}
