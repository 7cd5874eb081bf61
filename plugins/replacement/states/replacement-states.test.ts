import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { silentLog } from '#kernel/testing'
import { openReplacementScene } from '../testing/replacement-scene.ts'
import { createReplacementChanges } from './replacement-states.ts'
import {
  columnsOfState,
  type ReplacementEventName,
  replacementEvent,
  replacementEvents,
  stateOfColumns,
} from './replacement-transitions-policy.ts'

const events = Object.keys(replacementEvents) as ReplacementEventName[]
const states = [...new Set(events.flatMap((name) => [...replacementEvent(name).from, replacementEvent(name).to]))]

test('I-47: each event changes exactly the states that its table names', async () => {
  await using scene = await openReplacementScene()
  const { id } = (await scene.confirm()).replacement
  for (const state of states) {
    for (const name of events) {
      const { status, phase } = columnsOfState(state)
      await scene.sql('update replacements set status = ?, phase = ? where id = ?', status, phase, id)
      const isTaken = await scene.rows.database.write((tx) => scene.engine.states.apply(tx, name, id, { reason: 'source', message: 'why' }))
      const { from, to } = replacementEvent(name)
      expect([state, name, isTaken]).toEqual([state, name, from.includes(state)])
      expect([state, name, stateOfColumns(await scene.find(id))]).toEqual([state, name, isTaken ? to : state])
    }
  }
})

test('from each state that is not final a replacement can be completed, and only a decision leaves a state that waits for an operator', () => {
  const final = ['completed', 'superseded']
  const leaving = (state: string) => events.map(replacementEvent).filter(({ from }) => (from as readonly string[]).includes(state))
  const reachable = (from: string): ReadonlySet<string> => {
    const seen = new Set([from])
    for (const state of seen) for (const { to } of leaving(state)) seen.add(to)
    return seen
  }
  for (const state of states.filter((one) => !final.includes(one))) expect([...reachable(state)], state).toContain('completed')
  for (const state of final) expect(leaving(state), state).toEqual([])
  for (const state of ['failed.prepare', 'failed.migrate', 'cleanup_attention'])
    expect(new Set(leaving(state).flatMap(({ source, to }) => (source === 'decision' ? [] : [to]))), state).toEqual(
      new Set(state === 'cleanup_attention' ? ['completed'] : []),
    )
})

test('I-08: a wait sets its reason and no error, and a failure an error and no reason', async () => {
  await using scene = await openReplacementScene()
  const { id } = (await scene.confirm()).replacement
  const apply = (name: ReplacementEventName) =>
    scene.rows.database.write((tx) =>
      scene.engine.states.apply(tx, name, id, { reason: 'funding', message: 'why', failure: 'target_not_created' }),
    )
  await apply('preparation_waits')
  expect(await scene.find(id)).toMatchObject({ waitReason: 'funding', waitMessage: 'why', lastError: null })
  await apply('preparation_failed')
  expect(await scene.find(id)).toMatchObject({ waitReason: null, waitMessage: null, lastError: 'why', failureReason: 'target_not_created' })
  await apply('preparation_retried')
  expect(await scene.find(id)).toMatchObject({ waitReason: null, waitMessage: null, lastError: null, failureReason: null })
})

test('I-47: only the store of this folder writes the status of replacements', () => {
  const folder = new URL('../', import.meta.url)
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const checked = paths.filter((path) => path.endsWith('.ts') && !/\.test\.ts$|^testing\/|^migrations\//.test(path))
  const writes = /(?:insertInto|updateTable)\(\s*'replacements'\)(?:(?!\n\)|\n\S)[\s\S])*?\bstatus:|(?:update|insert into) replacements\b/
  expect(checked.filter((path) => writes.test(readFileSync(new URL(path, folder), 'utf8')))).toEqual(['states/replacement-state-store.ts'])
})

test('a watcher that throws stops no other one', () => {
  const changes = createReplacementChanges(silentLog)
  const heard: number[] = []
  changes.subscribe(() => {
    throw new Error('broken')
  })
  const stop = changes.subscribe((id) => heard.push(id))
  changes.notify(1)
  stop()
  changes.notify(2)
  expect(heard).toEqual([1])
})
