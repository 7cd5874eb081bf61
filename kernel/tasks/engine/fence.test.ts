import { expect, test } from 'vitest'
import { allRows, runSql } from '../../testing/sql.ts'
import { done } from '../outcome.ts'
import { bind, gate, openTasks, readTask, scriptedKind, startEngine, type TestTasks } from '../testing/test-engine.ts'
import { LeaseLost } from './lease-lost.ts'

const note = (tasks: TestTasks) => tasks.database.write((tx) => runSql(tx, 'create table if not exists notes (what text)'))
const notes = async ({ database }: TestTasks) =>
  (await allRows<{ what: string }>(database.read, 'select what from notes')).map(({ what }) => what)

/** A run that is held in an outside call and then writes the result. */
async function startCall(tasks: TestTasks) {
  const call = gate()
  const results: unknown[] = []
  await note(tasks)
  const kind = scriptedKind(async (run) => {
    const database = run.fence(tasks.database)
    await database.write((tx) => runSql(tx, "insert into notes values ('sent')"))
    await call.promise
    results.push(await database.write((tx) => runSql(tx, "insert into notes values ('answered')")).catch((error: unknown) => error))
    if (results[0] instanceof Error) throw results[0]
    return done()
  })
  const svc = await startEngine(tasks, { kinds: [bind(kind)] })
  const id = await svc.enqueue(kind)
  await tasks.clock.advance(0)
  return { ...svc, id, results, answer: call.resolve }
}

test('I-06: a run that holds its lease writes through the fence', async () => {
  await using tasks = await openTasks()
  const { answer, id, stop } = await startCall(tasks)
  answer()
  await tasks.clock.advance(0)
  expect(await notes(tasks)).toEqual(['sent', 'answered'])
  expect((await readTask(tasks, id)).status).toBe('completed')
  await stop()
})

test('I-06: a run that lost its lease during an outside call changes nothing afterwards', async () => {
  await using tasks = await openTasks()
  const { answer, id, results, stop } = await startCall(tasks)
  await tasks.database.write((tx) => runSql(tx, "update tasks set lease_seq = lease_seq + 1, lease_owner = 'other' where id = ?", id))
  const before = await readTask(tasks, id)
  answer()
  await tasks.clock.advance(0)
  expect(results).toEqual([expect.any(LeaseLost)])
  expect(await notes(tasks)).toEqual(['sent'])
  expect(await readTask(tasks, id)).toEqual(before)
  await stop()
})

test('I-06: a run that lost its lease ends the transaction of a service that asks for it', async () => {
  await using tasks = await openTasks()
  const call = gate()
  const results: unknown[] = []
  await note(tasks)
  const kind = scriptedKind(async (run) => {
    const add = () =>
      tasks.database.write(async (tx) => {
        await runSql(tx, "insert into notes values ('confirmed')")
        await run.holdLease(tx)
      })
    await add()
    await call.promise
    results.push(await add().catch((error: unknown) => error))
    return done()
  })
  const svc = await startEngine(tasks, { kinds: [bind(kind)] })
  const id = await svc.enqueue(kind)
  await tasks.clock.advance(0)
  await tasks.database.write((tx) => runSql(tx, "update tasks set lease_seq = lease_seq + 1, lease_owner = 'other' where id = ?", id))
  call.resolve()
  await tasks.clock.advance(0)
  expect(results).toEqual([expect.any(LeaseLost)])
  expect(await notes(tasks)).toEqual(['confirmed'])
  await svc.stop()
})
