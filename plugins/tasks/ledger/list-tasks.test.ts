import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sqlStatement } from '#kernel'
import type { TaskStatus } from '#kernel/system'
import {
  describeOnEngines,
  insertTaskRow,
  openTasks,
  queryPlan,
  runSql,
  runsOnSqlite,
  type TestTasks,
  watchStatements,
} from '#kernel/testing'
import type { ListTasks } from './ledger.ts'
import { listTasks } from './task-list-store.ts'

const kinds = ['work', 'other', 'routine'] as const
const hidden = ['routine']
const statuses = ['pending', 'completed', 'failed', 'cancelled', 'dismissed'] as const
type Shown = (typeof statuses)[number]

interface Row {
  readonly kind: (typeof kinds)[number]
  readonly shown: Shown
}

const row: fc.Arbitrary<Row> = fc.record({ kind: fc.constantFrom(...kinds), shown: fc.constantFrom(...statuses) })
const request: fc.Arbitrary<ListTasks> = fc.record(
  {
    kind: fc.constantFrom<string>(...kinds, 'unheard of'),
    status: fc.constantFrom<TaskStatus | 'dismissed'>(...statuses, 'running'),
    before: fc.integer({ min: 1, max: 60 }),
    limit: fc.integer({ min: 1, max: 12 }),
  },
  { requiredKeys: ['limit'] },
)

/** The expected ids by the definition of the filter. The id of a row is its position in `rows`, from one. */
function expectedIds(rows: readonly Row[], { kind, status, before = Number.POSITIVE_INFINITY, limit }: ListTasks): number[] {
  const isSeen = (of: Row) => !hidden.includes(of.kind) || of.shown === 'failed' || of.shown === 'dismissed'
  const wanted = rows.flatMap((of, at) => {
    const matches = isSeen(of) && (kind ?? of.kind) === of.kind && (status ?? of.shown) === of.shown
    return matches && at + 1 < before ? [at + 1] : []
  })
  return wanted.reverse().slice(0, limit)
}

const emptied = [
  sqlStatement('delete from tasks'),
  sqlStatement('delete from task_counts'),
  sqlStatement({
    sqlite: "delete from sqlite_sequence where name = 'tasks'",
    postgres: 'alter table tasks alter column id restart with 1',
  }),
]

async function fill({ database }: TestTasks, rows: readonly Row[]): Promise<void> {
  await database.write(async (tx) => {
    for (const statement of emptied) await tx.run(statement)
    for (const { kind, shown } of rows) {
      const isDismissed = shown === 'dismissed'
      await insertTaskRow(tx, { kind, status: isDismissed ? 'failed' : shown, atMs: 1, ...(isDismissed ? { acknowledgedAtMs: 2 } : {}) })
    }
  })
}

await describeOnEngines('the ledger', (engine) => {
  test('a list has the newest tasks that match its filter', async () => {
    await using tasks = await openTasks(engine)
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 50 }), fc.array(request, { minLength: 20, maxLength: 20 }), async (rows, requests) => {
        await fill(tasks, rows)
        for (const request of requests) {
          expect((await listTasks(tasks.database.read, request, hidden)).map(({ id }) => id)).toEqual(expectedIds(rows, request))
        }
      }),
      { numRuns: engine.dialect === 'sqlite' ? 40 : 10 },
    )
  })
})

test.runIf(runsOnSqlite())('a list reads only matching rows: each group is searched from the start of the page', async () => {
  await using tasks = await openTasks()
  const texts: string[] = []
  const { read } = tasks.database
  const watched = watchStatements(read, (sql) => texts.push(sql))
  await listTasks(watched, { limit: 10, before: 5 }, hidden)
  const plan = await queryPlan(read, texts)
  expect(plan).toContain('SEARCH t USING COVERING INDEX tasks_in_group (kind=? AND status=? AND <expr>=? AND id<?)')
  expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([
    'SCAN c USING COVERING INDEX sqlite_autoindex_task_counts_1',
    expect.stringContaining('json_each'),
  ])
})

test('a task is listed although its counter is 0', async () => {
  await using tasks = await openTasks()
  await fill(tasks, [{ kind: 'work', shown: 'failed' }])
  await tasks.database.write((tx) => runSql(tx, 'update task_counts set n = 0'))
  expect(await listTasks(tasks.database.read, { status: 'failed', limit: 5 }, hidden)).toHaveLength(1)
})
