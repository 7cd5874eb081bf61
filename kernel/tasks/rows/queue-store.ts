import { type Expression, sql } from 'kysely'
import type { Clock } from '../../core/clock.ts'
import { type Params, statementsOver } from '../../db/statement.ts'
import type { EnqueueOptions, TaskQueue } from '../queue.ts'
import type { TaskKind } from '../task.ts'
import { type TaskRecord, taskColumns } from '../task-record.ts'
import { countTasks, moveCounts } from './counter-store.ts'
import type { TaskTables } from './task-tables.ts'

const statement = statementsOver<TaskTables>()

interface NewTask {
  readonly kind: string
  readonly key: string | null
  readonly subjectType: string
  readonly subjectKey: string
  readonly bucket: string | null
  readonly args: string
  readonly isRetryable: number
  readonly atMs: number
  readonly nowMs: number
}

/** No row when an open task has the key. */
const insert = statement((db, task: Params<NewTask>) =>
  db
    .insertInto('tasks')
    .values({
      kind: task.kind,
      key: task.key,
      subject_type: task.subjectType,
      subject_key: task.subjectKey,
      bucket: task.bucket,
      args: task.args,
      status: 'pending',
      run_at: task.atMs,
      is_retryable: task.isRetryable,
      created_at: task.nowMs,
      updated_at: task.nowMs,
    })
    .onConflict((conflict) => conflict.column('key').where('key', 'is not', null).where('status', 'in', ['pending', 'running']).doNothing())
    .returning('id'),
)

interface Wish {
  readonly id: number
  readonly atMs: number
  readonly nowMs: number
  readonly isDue: number
}

/** New work does not shorten a backoff. */
const isBroughtForward = (atMs: Expression<number>) => sql<boolean>`status = 'pending' and is_backing_off = 0 and run_at > ${atMs}`

/** Makes a pending task due earlier, unless it is in backoff; requests a rerun of a running one. A task that is due now stops waiting. */
const join = statement((db, { id, atMs, nowMs, isDue }: Params<Wish>) =>
  db
    .updateTable('tasks')
    .set({
      again_at: sql`case when status = 'running' and (again_at is null or again_at > ${atMs}) then ${atMs} else again_at end`,
      run_at: sql`case when ${isBroughtForward(atMs)} then ${atMs} else run_at end`,
      wait_reason: sql`case when ${isDue} = 1 and ${isBroughtForward(atMs)} then null else wait_reason end`,
      message: sql`case when ${isDue} = 1 and ${isBroughtForward(atMs)} then null else message end`,
      updated_at: sql`case when status = 'running' or ${isBroughtForward(atMs)} then ${nowMs} else updated_at end`,
    })
    .where('id', '=', id)
    .where('status', 'in', ['pending', 'running'])
    .returning('id'),
)

export const findOpenTask = statement((db, { key }: Params<{ key: string }>) =>
  db.selectFrom('tasks').select('id').where('key', '=', key).where('status', 'in', ['pending', 'running']),
)

const findOpenOf = statement((db, { keys }: Params<{ keys: readonly string[] }>) =>
  db
    .selectFrom('tasks')
    .select('key')
    .where('key', 'in', keys)
    .where('status', 'in', ['pending', 'running'])
    .$narrowType<{ key: string }>(),
)

const findUnended = statement((db, { ids }: Params<{ ids: readonly number[] }>) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('id', 'in', ids)
    .where('status', 'in', ['pending', 'running', 'failed'])
    .where('acknowledged_at', 'is', null),
)

interface Ended {
  readonly kind: string
  readonly keys: readonly string[]
  readonly reason: string
  readonly nowMs: number
}

/** The first condition on the status is that of the partial index of keys. */
const endWaiting = statement((db, { kind, keys, reason, nowMs }: Params<Ended>) =>
  db
    .updateTable('tasks')
    .set({
      status: 'completed',
      error_code: null,
      last_error: null,
      wait_reason: null,
      message: null,
      finished_at: nowMs,
      updated_at: nowMs,
    })
    .where('key', 'in', keys)
    .where('status', 'in', ['pending', 'running'])
    .where('status', '=', 'pending')
    .where('kind', '=', kind)
    .where('wait_reason', '=', reason)
    .where('run_at', '>', nowMs)
    .where('is_backing_off', '=', 0)
    .where('again_at', 'is', null)
    .returning(taskColumns),
)

/** Other processes may end and enqueue tasks with the key between the statements of an attempt. */
const attemptsMax = 5

/** Enqueues in the caller's transaction; the listeners are called after its commit. */
export function createTaskQueue(
  clock: Clock,
  onEnqueued: (kind: string) => void,
  onEnded: (task: TaskRecord) => void = () => {},
): TaskQueue {
  return {
    async add(tx, kind, args, options = {}) {
      const task = describe(kind, args, options, clock.now())
      tx.afterCommit(() => onEnqueued(kind.kind))
      for (let attempt = 0; attempt < attemptsMax; attempt++) {
        const open = task.key === null ? undefined : await tx.get(findOpenTask, { key: task.key })
        if (open && (await tx.get(join, toWish(open.id, task)))) return open.id
        const made = await tx.get(insert, task)
        if (!made) continue
        await countTasks(tx, kind.kind, { status: 'pending' }, 1)
        return made.id
      }
      throw new Error(`the tasks with the key '${task.key}' end and begin too fast to join one`)
    },
    async endWaits(tx, { kind }, keys, reason) {
      if (keys.length === 0) return
      const ended = await tx.all(endWaiting, { kind, keys, reason, nowMs: clock.now() })
      if (ended.length === 0) return
      await moveCounts(tx, kind, ['pending', 'completed'], ended.length)
      tx.afterCommit(() => ended.forEach(onEnded))
    },
    hasOpen: async (reader, key) => (await reader.get(findOpenTask, { key })) !== undefined,
    openKeys: async (reader, keys) => new Set((await reader.all(findOpenOf, { keys })).map(({ key }) => key)),
    unendedIds: async (reader, ids) => new Set((await reader.all(findUnended, { ids })).map(({ id }) => id)),
  }
}

function describe<A>(kind: TaskKind<A>, args: A, { key, runAtMs }: EnqueueOptions, nowMs: number): NewTask {
  const atMs = Math.ceil(runAtMs ?? nowMs)
  if (!Number.isSafeInteger(atMs)) throw new Error(`a '${kind.kind}' task cannot be planned for ${runAtMs}`)
  const subject = kind.subject(args)
  return {
    kind: kind.kind,
    key: key ?? null,
    subjectType: subject.type,
    subjectKey: subject.key,
    bucket: subject.bucket ?? null,
    args: JSON.stringify(args),
    isRetryable: kind.retry ? 1 : 0,
    atMs,
    nowMs,
  }
}

const toWish = (id: number, { atMs, nowMs }: NewTask): Wish => ({ id, atMs, nowMs, isDue: atMs <= nowMs ? 1 : 0 })
