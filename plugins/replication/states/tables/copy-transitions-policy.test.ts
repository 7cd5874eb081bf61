import { expect, test } from 'vitest'
import { type CopyEventName, type CopyState, copyEvent, copyEvents, copyStates, statesWithBytes } from './copy-transitions-policy.ts'

const names = Object.keys(copyEvents) as CopyEventName[]
const leaving = (state: CopyState) => names.filter((name) => copyEvent(name).from.includes(state) && copyEvent(name).to !== state)

test('every state is entered, except the one of earlier versions, and every state but the last is left', () => {
  const entered = new Set(names.map((name) => copyEvent(name).to))
  expect(copyStates.filter((state) => !entered.has(state))).toEqual(['failed'])
  expect(copyStates.filter((state) => leaving(state).length === 0)).toEqual(['removed'])
  expect(leaving('lost')).toEqual(['content_deleted'])
})

test('I-05: a copy whose batch is undecided leaves it only by a look-up, or because an operator releases it', () => {
  const undecided: ReadonlySet<CopyState> = new Set(['unconfirmed', 'attention'])
  const ways = (state: CopyState) => leaving(state).filter((name) => !undecided.has(copyEvent(name).to))
  expect(ways('unconfirmed').filter((name) => copyEvent(name).source !== 'look_up')).toEqual([])
  expect(ways('attention').filter((name) => copyEvent(name).source !== 'look_up')).toEqual(['released', 'released_gone'])
})

test('I-25: decisions about a whole data set or content leave out copies that an open batch holds', () => {
  const isInBatch = (name: CopyEventName) => copyEvent(name).from.some((state) => state === 'transferring' || state === 'batched')
  const ending = names.filter((name) => isInBatch(name) && ['lost', 'removed'].includes(copyEvent(name).to))
  expect(ending).toEqual(['data_set_ended', 'content_deleted'])
  expect(ending.filter((name) => !copyEvent(name).isHeldExempt)).toEqual([])
})

test('I-02: contents are counted again, or their cached bytes kept, in the transaction that makes copies durable, readable or missing', () => {
  const isDurable = (state: CopyState) => state === 'committed'
  const changesHoldings = (name: CopyEventName) =>
    copyEvent(name).from.some(
      (state) =>
        isDurable(state) !== isDurable(copyEvent(name).to) || statesWithBytes.has(state) !== statesWithBytes.has(copyEvent(name).to),
    )
  const counts = (name: CopyEventName) => copyEvent(name).follows?.some((effect) => effect === 'recount' || effect === 'withhold')
  // A content is being counted when the copies of a deleted one end.
  expect(names.filter((name) => changesHoldings(name) && !counts(name))).toEqual(['content_deleted'])
})

test('I-43: an event that makes work enqueues the task that does it', () => {
  const enqueues = (name: CopyEventName) =>
    copyEvent(name).follows?.some((effect) => ['store', 'commit', 'batch', 'check'].includes(effect))
  const needsTask = names.filter((name) => copyEvent(name).from.length > 0 && ['planned', 'parked', 'batched'].includes(copyEvent(name).to))
  // The task that causes these continues with the copy.
  expect(needsTask.filter((name) => !enqueues(name))).toEqual(['upload_failed', 'batched', 'not_landed', 'attention_ended'])
})
