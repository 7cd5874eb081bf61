import { expect, test } from 'vitest'
import { afterAccepted, afterRefused, piecesOfCall, raiseAfterMs } from './call-limit-policy.ts'

const nowMs = 1000
const at = { max: 404, nowMs }

test('an unknown provider is asked for what every provider takes', () => {
  expect(piecesOfCall('addition', undefined, at)).toBe(40)
  expect(piecesOfCall('removal', undefined, at)).toBe(35)
  expect(piecesOfCall('addition', undefined, { max: 20, nowMs })).toBe(20)
})

test('after a full first call the largest one is tried', () => {
  expect(afterAccepted('addition', undefined, 39)).toBeUndefined()
  const learnt = afterAccepted('addition', undefined, 40)
  expect(learnt).toEqual({ pieces: 40, refusedAtMs: null })
  expect(piecesOfCall('addition', learnt, at)).toBe(404)
  expect(afterAccepted('addition', learnt, 404)).toEqual({ pieces: 404, refusedAtMs: null })
})

test('after a refusal the named limit holds, or half of the call, until a larger call is tried later', () => {
  const named = afterRefused({ pieces: 404, named: 40, nowMs })
  expect(named).toEqual({ pieces: 40, refusedAtMs: nowMs })
  expect(piecesOfCall('addition', named, at)).toBe(40)
  expect(piecesOfCall('addition', named, { max: 404, nowMs: nowMs + raiseAfterMs })).toBe(404)
  expect(afterAccepted('addition', named, 40)).toBeUndefined()
  expect(afterRefused({ pieces: 404, nowMs }).pieces).toBe(202)
})

test.each([0, 40, 99])('a limit of %i in the refusal of 40 pieces is not believed', (named) => {
  expect(afterRefused({ pieces: 40, named, nowMs }).pieces).toBe(20)
})
