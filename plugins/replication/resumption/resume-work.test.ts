import { expect, test } from 'vitest'
import type { TaskControl } from '#kernel/system'
import { allRows, createFakeClock, runSql, silentLog } from '#kernel/testing'
import { createSchedule } from '../schedule.ts'
import { setWorks } from '../stuck/stuck-sets-store.ts'
import { engines, seeds, startResting, taskRow } from '../testing/resting-kernel.ts'
import { isDue } from './resume-policy.ts'
import { type ChooseWorks, resumeAsked, resumeWork } from './resume-work.ts'
import { firstPlace, type WorkPlace } from './stuck-works.ts'

const minuteMs = 60_000
const lacking = `update copies set state = 'planned', chain_piece_id = null`

async function open(config: Readonly<Record<string, string>>) {
  const { database, change, queue } = await startResting(config)
  const clock = createFakeClock(1_700_000_000_000)
  // The control of the kernel would let its engine run the task.
  const control: Pick<TaskControl, 'retry'> = {
    async retry(tx, id) {
      await runSql(tx, `update tasks set status = 'pending', failed_at = null where id = ?`, id)
      return {} as never
    },
  }
  const deps = { database, queue, clock, log: silentLog, schedule: createSchedule(queue), control }
  await change('delete from tasks', ...seeds, 'update data_sets set final_at = 1')
  return {
    change,
    clock,
    database,
    pass: () => resumeWork(deps, new AbortController().signal),
    ask: (choose: ChooseWorks = async (works) => works, { forMs = minuteMs, from }: { forMs?: number; from?: WorkPlace } = {}) =>
      resumeAsked(deps, { choose, from, untilMs: clock.now() + forMs }),
    open: async () =>
      (
        await allRows(
          database.read,
          `select key from tasks where status = 'pending' and key like 'storage_%' and key not like '%@%' order by id`,
        )
      ).map(({ key }) => key),
    tasks: () => allRows(database.read, `select key, status from tasks where key like 'storage_%' and key not like '%@%' order by id`),
  }
}

test.for(engines)('I-43: on $engine work whose failed task was dismissed gets another task', async ({ config }) => {
  const { change, pass, open: openTasks } = await open(await config())
  expect(await pass()).toBe(0)
  await change(lacking, taskRow('storage_store:1', 'failed'))
  // An operator is shown the failure.
  expect([await pass(), await openTasks()]).toEqual([0, []])
  await change(`update tasks set acknowledged_at = 1`)
  expect([await pass(), await openTasks()]).toEqual([1, ['storage_store:1']])
  expect(await pass()).toBe(0)
})

test.for(engines)(
  'I-43: on $engine an operator asks for the work whose failure waits for one, without a pause, and never for what may pay again',
  async ({ config }) => {
    const { change, ask, pass, open: openTasks } = await open(await config())
    await change(
      lacking,
      taskRow('storage_store:1', 'failed'),
      `insert into removals (data_set_id, chain_piece_id, copy_id, content_id, state, created_at, updated_at) values (1, '3', 1, 1, 'pending', 0, 0)`,
      taskRow('storage_cleanup:1', 'failed'),
    )
    expect([await pass(), await openTasks()]).toEqual([0, []])
    expect(await ask(async () => [])).toEqual({ tasks: 0, next: undefined })
    expect(await ask(undefined, { forMs: 0 })).toEqual({ tasks: 0, next: firstPlace })
    expect([await ask(), await openTasks()]).toEqual([{ tasks: 1, next: undefined }, ['storage_store:1']])
    await change(`update tasks set status = 'failed', failed_at = 1 where key = 'storage_store:1'`)
    // The pass would wait for ten minutes.
    expect([await pass(), await ask(), await openTasks()]).toEqual([0, { tasks: 1, next: undefined }, ['storage_store:1']])
  },
)

test.for(engines)('I-43: on $engine work that fails again is retried after growing pauses, with one failed task', async ({ config }) => {
  const scene = await open(await config())
  await scene.change(lacking)
  const fail = `update tasks set status = 'failed', failed_at = 1, acknowledged_at = null where status = 'pending' and key like 'storage_%' and key not like '%@%'`
  for (const pauseMinutes of [10, 20, 40, 80, 160, 320, 360, 360]) {
    expect(await scene.pass()).toBe(1)
    await scene.change(fail)
    await scene.clock.advance(pauseMinutes * minuteMs - 1)
    expect(await scene.pass(), `${pauseMinutes} minutes`).toBe(0)
    await scene.clock.advance(1)
  }
  expect(await scene.tasks()).toEqual([{ key: 'storage_store:1', status: 'failed' }])
})

test.for(engines)('on $engine the retry of a failed removal, which may pay again, is left to an operator', async ({ config }) => {
  const { change, clock, pass, open: openTasks } = await open(await config())
  await change(
    `insert into removals (data_set_id, chain_piece_id, copy_id, content_id, state, created_at, updated_at) values (1, '3', 1, 1, 'pending', 0, 0)`,
  )
  expect([await pass(), await openTasks()]).toEqual([1, ['storage_cleanup:1']])
  await change(`update tasks set status = 'failed', failed_at = 1 where key like 'storage_%' and key not like '%@%'`)
  await clock.advance(24 * 60 * minuteMs)
  expect([await pass(), await openTasks()]).toEqual([0, []])
  await change(`update tasks set acknowledged_at = 1 where key like 'storage_%' and key not like '%@%'`)
  expect([await pass(), await openTasks()]).toEqual([1, ['storage_cleanup:1']])
})

test.for(engines)('I-43: on $engine landings are verified again also after a failure, with growing pauses', async ({ config }) => {
  const scene = await open(await config())
  await scene.change(`update data_sets set landed_epoch = 1, final_at = null, next_look_at = 0`)
  expect([await scene.pass(), await scene.open()]).toEqual([1, ['storage_finality']])
  await scene.change(`update tasks set status = 'failed', failed_at = 1 where key = 'storage_finality'`)
  expect(await scene.pass()).toBe(0)
  await scene.clock.advance(10 * minuteMs)
  expect([await scene.pass(), await scene.tasks()]).toEqual([1, [{ key: 'storage_finality', status: 'pending' }]])
})

const numbers = 'with recursive n (i) as (select 2 union all select i + 1 from n where i < 1201)'
/** Every second one of 1,200 contents has a copy that no task makes. */
const many = [
  `insert into contents (id, bucket_id, identity, size, ref_count, target_copies, store_state, created_at, updated_at)
     ${numbers} select i, 1, cast(i as text), 5, 1, 1, 'storing', 0, 0 from n`,
  `insert into pieces (id, content_id, part_no, offset_bytes, length) ${numbers} select i, i, 0, 0, 5 from n`,
  `insert into copies (id, piece_id, content_id, data_set_id, slot, state, method, created_at, updated_at)
     ${numbers} select i, i, i, 1, 0, 'planned', 'pull', 0, 0 from n where i % 2 = 0`,
]

test.for(engines)(
  'on $engine requests of an operator that follow each other look at every content once, also while the tasks fail again',
  async ({ config }) => {
    const { change, ask, open: openTasks } = await open(await config())
    await change(...many)
    const looked: number[] = []
    const askFrom = async (from?: WorkPlace) =>
      ask(
        async (works) => {
          looked.push(...works.flatMap((work) => (work.kind === 'store' ? [work.id] : [])))
          return works
        },
        from ? { from } : {},
      )
    const first = await askFrom()
    expect(first).toMatchObject({ tasks: 500, next: { kind: 'store', after: { bucketId: 1, storeState: 'storing', id: 1000 } } })
    // A request without a place would enqueue these a second time, before the rest.
    await change(`update tasks set status = 'failed', failed_at = 1 where key like 'storage_store:%'`)
    looked.length = 0
    expect(await askFrom(first.next)).toEqual({ tasks: 100, next: undefined })
    expect([looked[0], looked.length, (await openTasks()).length]).toEqual([1002, 100, 100])
  },
)

test.for(engines)('on $engine a request without wanted work ends at its time, and the next one goes on behind it', async ({ config }) => {
  const { change, clock, ask } = await open(await config())
  await change(...many, `update contents set store_state = 'unstored' where id > 601`)
  const places: (WorkPlace | undefined)[] = []
  let from: WorkPlace | undefined
  do {
    // Each page takes longer than a request may.
    const choose: ChooseWorks = async () => {
      await clock.advance(2 * minuteMs)
      return []
    }
    const { tasks, next } = await ask(choose, from ? { from } : {})
    expect(tasks).toBe(0)
    places.push(next)
    from = next
  } while (from !== undefined && places.length < 100)
  expect(places.at(-1)).toBeUndefined()
  // One page for the landings, one for each work of data sets, and those of 1,201 contents.
  expect(places).toHaveLength(1 + setWorks.length + 7)
})

test.for(engines)('on $engine a pass enqueues at most 500 tasks, reads all pages, and the next passes the rest', async ({ config }) => {
  const { change, pass, open: openTasks } = await open(await config())
  await change(...many)
  expect([await pass(), await pass(), await pass()]).toEqual([500, 100, 0])
  expect((await openTasks()).length).toBe(600)
})

test('a first failure waits for an operator; work that svc took over is retried when its pause is over', () => {
  const last = { work: 'storage_store:1', tries: 1, nextAtMs: 100 }
  const table = [
    [{ last: undefined, isFailed: false, mayPayAgain: false }, true],
    [{ last: undefined, isFailed: true, mayPayAgain: false }, false],
    [{ last, isFailed: true, mayPayAgain: false }, true],
    [{ last, isFailed: true, mayPayAgain: true }, false],
    [{ last, isFailed: false, mayPayAgain: true }, true],
    [{ last: { ...last, nextAtMs: 101 }, isFailed: false, mayPayAgain: false }, false],
  ] as const
  for (const [situation, expected] of table) expect(isDue(situation, 100), JSON.stringify(situation)).toBe(expected)
})
