import { expect, test } from 'vitest'
import type { Holdings } from '#plugins/storage'
import { type HeldCopy, holdingsOf } from './holdings-policy.ts'

const copy = (slot: number, state: HeldCopy['state'], dataSetState: HeldCopy['dataSetState'] = 'ready', pieceId = 1): HeldCopy => ({
  slot,
  pieceId,
  state,
  dataSetState,
  isDenied: false,
})

const held = (durableCopies: number, readableCopies: number, progress: Holdings['progress'] = 'storing'): Holdings => ({
  durableCopies,
  readableCopies,
  progress,
})

const cases: readonly (readonly [string, readonly HeldCopy[], Holdings])[] = [
  ['no copy', [], held(0, 0, 'none')],
  ['a committed and a parked copy', [copy(0, 'committed'), copy(1, 'parked')], held(1, 2)],
  ['one slot on two generations', [copy(0, 'committed', 'retiring'), copy(0, 'committed')], held(1, 1)],
  ['a data set that is being created again', [copy(0, 'committed', 'creating'), copy(1, 'committed', 'write_blocked')], held(1, 2)],
  ['a lost data set', [copy(0, 'committed', 'lost'), copy(1, 'parked', 'lost')], held(0, 0)],
  ['failed copies', [copy(0, 'failed'), copy(1, 'committed')], held(1, 1, 'failed')],
  ['a failed copy beside an open one', [copy(0, 'failed'), copy(1, 'planned')], held(0, 0)],
]

test('I-53: a denied copy can be read and is not durable', () => {
  const denied = { ...copy(0, 'committed'), isDenied: true }
  expect(holdingsOf([denied, copy(1, 'committed')], 1)).toEqual(held(1, 2))
  // Its slot may have the piece on another generation too.
  expect(holdingsOf([denied, copy(0, 'committed')], 1)).toEqual(held(1, 1))
})

test.each(cases)('I-19: holdings of a content with %s', (_name, copies, holdings) => {
  expect(holdingsOf(copies, 1)).toEqual(holdings)
})

test('I-19: a slot counts when it has every piece of the content', () => {
  const first = [copy(0, 'committed'), copy(1, 'committed')]
  expect(holdingsOf([...first, copy(0, 'committed', 'ready', 2)], 2)).toEqual(held(1, 1))
  expect(holdingsOf([...first, copy(0, 'parked', 'ready', 2)], 2)).toEqual(held(0, 1))
})
