import { expect, test } from 'vitest'
import { type CopiesChange, type CopiesChangeVerdict, changeCopies } from './change-copies-policy.ts'

const current = { defaultCopies: 4, minimumDurableCopies: 2 }
const configured = 6

test.each<readonly [name: string, change: CopiesChange, target: number, minimum: number]>([
  ['a raised target leaves the minimum', { defaultCopies: 5 }, 5, 2],
  ['the same target changes nothing', { defaultCopies: 4 }, 4, 2],
  ['a raised minimum leaves the target', { minimumDurableCopies: 4 }, 4, 4],
  ['a lowered minimum leaves the target', { minimumDurableCopies: 1 }, 4, 1],
  ['both at once', { defaultCopies: 8, minimumDurableCopies: 8 }, 8, 8],
  ['a reset target becomes the configured one', { defaultCopies: null }, 6, 2],
  ['a reset minimum becomes the target', { minimumDurableCopies: null }, 4, 4],
  ['a reset minimum becomes the target of the same request', { defaultCopies: 7, minimumDurableCopies: null }, 7, 7],
  ['both reset', { defaultCopies: null, minimumDurableCopies: null }, 6, 6],
  ['a minimum is compared with the reset target', { defaultCopies: null, minimumDurableCopies: 6 }, 6, 6],
])('I-12: %s', (_name, change, defaultCopies, minimumDurableCopies) => {
  expect(changeCopies(change, current, configured)).toEqual({ isAllowed: true, copies: { defaultCopies, minimumDurableCopies } })
})

type RefusalCode = Extract<CopiesChangeVerdict, { readonly isAllowed: false }>['code']

test.each<readonly [name: string, change: CopiesChange, configured: number, code: RefusalCode]>([
  ['an empty change', {}, 6, 'copy_policy_empty'],
  ['a target of 0', { defaultCopies: 0 }, 6, 'copy_policy_invalid'],
  ['a target of 9', { defaultCopies: 9 }, 6, 'copy_policy_invalid'],
  ['a fractional target', { defaultCopies: 4.5 }, 6, 'copy_policy_invalid'],
  ['a minimum that is not a number', { minimumDurableCopies: Number.NaN }, 6, 'copy_policy_invalid'],
  ['a minimum of 0', { minimumDurableCopies: 0 }, 6, 'copy_policy_invalid'],
  ['a lower target', { defaultCopies: 3 }, 6, 'copy_policy_lowering_unsupported'],
  ['a lower target with a valid minimum', { defaultCopies: 3, minimumDurableCopies: 3 }, 6, 'copy_policy_lowering_unsupported'],
  ['a reset below the target', { defaultCopies: null }, 3, 'copy_policy_lowering_unsupported'],
  ['a reset of both below the target', { defaultCopies: null, minimumDurableCopies: null }, 3, 'copy_policy_lowering_unsupported'],
  ['a minimum above the target', { minimumDurableCopies: 5 }, 6, 'copy_policy_minimum_exceeds_target'],
  [
    'a minimum above the target of the same request',
    { defaultCopies: 5, minimumDurableCopies: 6 },
    6,
    'copy_policy_minimum_exceeds_target',
  ],
  ['a minimum above the reset target', { defaultCopies: null, minimumDurableCopies: 7 }, 6, 'copy_policy_minimum_exceeds_target'],
])('%s is refused', (_name, change, configuredCopies, code) => {
  expect(changeCopies(change, current, configuredCopies)).toEqual({ isAllowed: false, code, message: expect.any(String) })
})
