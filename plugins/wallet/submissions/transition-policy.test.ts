import { expect, test } from 'vitest'
import {
  type AttemptEventName,
  type AttemptState,
  advance,
  attemptEvents,
  attemptStates,
  isOpenRow,
  nextState,
  openValues,
  stateOfRow,
  transitions,
  valuesThatTake,
} from './transition-policy.ts'

/** Next state by event, in the order of `attemptStates`: ready, recorded, submitted, uncertain, landed, closed. `-`: refused. */
const expected: Readonly<Record<AttemptEventName, string>> = {
  record: 'recorded - - - - -',
  answered_ok: '- submitted - - - -',
  answered_landed: '- submitted - - - -',
  answered_uncertain: '- uncertain - - - -',
  not_sent: '- ready - - - -',
  withdrawn: '- uncertain - - - -',
  undecided: '- uncertain submitted uncertain - -',
  observed: '- uncertain submitted uncertain - -',
  attention: '- uncertain submitted uncertain - -',
  reopened: '- ready ready ready - -',
  landed: 'landed landed landed landed - -',
  rolled_back: '- - - - uncertain -',
  ended: 'closed closed closed closed closed -',
  released: 'uncertain - submitted uncertain - -',
  closed: 'closed - - - - -',
}

const cases = Object.entries(expected).flatMap(([event, row]) =>
  row.split(' ').map((next, index) => [attemptStates[index], event, next] as [AttemptState, AttemptEventName, string]),
)

test.each(cases)('an attempt that is %s and takes %s: %s', (state, event, next) => {
  expect(nextState(state, event)).toBe(next === '-' ? undefined : next)
  if (next === '-') expect(() => advance(state, event)).toThrow(`the event ${event} is refused: the paid attempt is ${state}`)
  else expect(advance(state, event)).toBe(next)
})

test('every event of the table is expected here', () => {
  expect(Object.keys(expected)).toEqual(Object.keys(attemptEvents))
})

/** States that can be reached from `start` without events of one source. */
function reach(start: AttemptState, without: string): ReadonlySet<AttemptState> {
  const reached = new Set<AttemptState>([start])
  for (const from of reached) {
    for (const { event, to } of transitions.filter((each) => each.from === from)) {
      if (attemptEvents[event].source !== without) reached.add(to)
    }
  }
  return reached
}

test('I-04: only a recorded attempt is answered, and only a ready one can be recorded', () => {
  const answered = transitions.filter(({ event }) => attemptEvents[event].source === 'answer')
  expect(new Set(answered.map(({ from }) => from))).toEqual(new Set(['recorded']))
  expect(transitions.filter(({ to }) => to === 'recorded')).toEqual([{ from: 'ready', event: 'record', to: 'recorded' }])
})

test.each(['submitted', 'uncertain'] as const)('I-05: without a look-up no path leads from %s to another request', (state) => {
  expect([...reach(state, 'look_up')]).toEqual([state])
  expect(reach(state, 'none')).toContain('ready')
})

test('a closed attempt has no way out, and every other attempt can be settled', () => {
  expect(transitions.filter(({ from }) => from === 'closed')).toEqual([])
  for (const state of attemptStates.filter((each) => each !== 'closed')) expect(reach(state, 'none')).toContain('closed')
})

test('lists of column values name each value once', () => {
  const names = { ready: 'planned', recorded: 'creating', submitted: 'creating', uncertain: 'creating', landed: 'there', closed: 'gone' }
  expect(openValues(names)).toEqual(['creating'])
  expect(valuesThatTake(names, 'ended')).toEqual(['planned', 'creating', 'there'])
  expect(attemptStates.filter((state) => isOpenRow(names, names[state]))).toEqual(['recorded', 'submitted', 'uncertain'])
  expect(isOpenRow(names, null)).toBe(false)
  expect([stateOfRow(names, 'creating'), stateOfRow(names, 'other')]).toEqual(['recorded', undefined])
})
