import { expect, test } from 'vitest'
import { createTaskQueue } from '../tasks/rows/queue-store.ts'
import { finished, openTasks, scriptedKind, type TestTasks, wrongCounters } from '../tasks/testing/test-engine.ts'
import { runSql } from '../testing/index.ts'
import { describeOnEngines } from '../testing/on-engines.ts'
import { taskCountsCheck, taskCountsFix } from './task-counts-check.ts'

const look = async ({ database }: TestTasks) => {
  const signal = new AbortController().signal
  return (await taskCountsCheck.look({}, { read: database.read, after: undefined, sample: undefined, isOnline: true, signal })).findings
}
const fix = ({ database }: TestTasks, target: string) => taskCountsFix.apply({ database } as never, target)

await describeOnEngines('counters of tasks', (engine) => {
  test.each([
    { what: 'a wrong counter', sql: "update task_counts set n = 9 where status = 'pending'", found: ['work/pending/0'] },
    { what: 'a missing counter', sql: 'delete from task_counts', found: ['work/failed/1', 'work/pending/0'] },
    {
      what: 'a counter without tasks',
      sql: "insert into task_counts (kind, status, acknowledged, n) values ('a/b', 'completed', 0, 1)",
      found: ['a/b/completed/0'],
    },
    {
      what: 'a task that was inserted by hand',
      sql: "update tasks set status = 'running' where key = 'b'",
      found: ['work/pending/0', 'work/running/0'],
    },
  ])('$what is found and counted again', async ({ sql, found }) => {
    await using tasks = await openTasks(engine)
    const queue = createTaskQueue(tasks.clock, () => {})
    const kind = scriptedKind(finished)
    await tasks.database.write(async (tx) => {
      for (const key of ['a', 'b', 'c']) await queue.add(tx, kind, { name: key }, { key })
      await runSql(tx, "update tasks set status = 'failed', acknowledged_at = 1 where key = 'c'")
      await runSql(tx, "update task_counts set n = 2 where status = 'pending'")
      await runSql(tx, "insert into task_counts (kind, status, acknowledged, n) values ('work', 'failed', 1, 1)")
    })
    expect(await look(tasks)).toEqual([])
    await tasks.database.write((tx) => runSql(tx, sql))
    const findings = await look(tasks)
    expect(findings.map(({ severity, subject }) => `${severity} ${subject.id}`)).toEqual(found.map((id) => `warning ${id}`))
    for (const finding of findings) expect(await fix(tasks, finding.fix?.target ?? '')).toBe(true)
    for (const finding of findings) expect(await fix(tasks, finding.fix?.target ?? '')).toBe(false)
    expect(await look(tasks)).toEqual([])
    expect(await wrongCounters(tasks)).toEqual([])
  })

  test('a target that names no group changes nothing', async () => {
    await using tasks = await openTasks(engine)
    for (const target of ['', 'work', 'work/pending/2', 'no/pending/0']) expect(await fix(tasks, target), target).toBe(false)
  })
})
