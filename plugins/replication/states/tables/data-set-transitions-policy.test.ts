import { expect, test } from 'vitest'
import { valuesThatTake } from '#plugins/wallet'
import { creationStates } from '../../submissions/row-states-policy.ts'
import {
  type DataSetEventName,
  type DataSetState,
  dataSetEvent,
  dataSetEvents,
  dataSetStates,
  statesThatTakePieces,
  takesPieces,
} from './data-set-transitions-policy.ts'

const names = Object.keys(dataSetEvents) as DataSetEventName[]
const leaving = (state: DataSetState) => names.filter((name) => dataSetEvent(name).from.includes(state))

test('every state is entered, except the one of earlier versions, and ended data sets stay ended', () => {
  const entered = new Set(names.map((name) => dataSetEvent(name).to))
  expect(dataSetStates.filter((state) => !entered.has(state))).toEqual(['abandoning'])
  expect(dataSetStates.filter((state) => leaving(state).length === 0)).toEqual(['retired', 'abandoning', 'abandoned'])
})

test('I-05: an undecided creation is decided by a look-up, or by a provider that sent nothing', () => {
  expect(leaving('creating').filter((name) => dataSetEvent(name).source !== 'look_up')).toEqual(['creation_refused'])
  // The rule is that of every paid attempt.
  expect(dataSetEvents.creation_recorded.from).toEqual(valuesThatTake(creationStates, 'record'))
  expect(dataSetEvents.creation_not_landed.from).toEqual(valuesThatTake(creationStates, 'reopened'))
  expect(dataSetEvents.created.to).toBe(creationStates.landed)
})

test('a service that was paid for is given up only when the chain has ended it', () => {
  const givesUp = names.filter((name) => ['retired', 'lost', 'write_blocked'].includes(dataSetEvent(name).to))
  // A replaced one keeps its copies and stays paid until its end, which waits for its successor (I-48).
  expect(givesUp.filter((name) => dataSetEvent(name).source !== 'look_up')).toEqual(['replaced'])
  expect(dataSetEvent('replaced').follows).not.toContain('lose_committed')
})

test('I-29: copies that were not sent end with a data set that takes no more pieces', () => {
  const ended = names.filter((name) => dataSetEvent(name).from.some(takesPieces) && !statesThatTakePieces.includes(dataSetEvent(name).to))
  const endsCopies = (name: DataSetEventName) =>
    dataSetEvent(name).follows?.some((effect) => effect === 'end_unsent' || effect === 'commit')
  // Planned copies move to the next generation; a data set that must end is of a deleted bucket, whose contents are removed first.
  expect(ended.filter((name) => !endsCopies(name))).toEqual(['replanned', 'retiring', 'never_created'])
})
