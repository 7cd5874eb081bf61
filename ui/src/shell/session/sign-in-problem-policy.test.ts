import { expect, test } from 'vitest'
import { describeProblem } from './sign-in-problem-policy.ts'

test.each(['busy', 'cancelled', 'expired', 'no_role', 'refused', 'unreachable'])('the problem %s says what to do', (code) => {
  const { title, text } = describeProblem(`?sign_in=${code}`) ?? {}
  expect([title, text].every((part) => part !== undefined && part.length > 10)).toBe(true)
})

test.each(['', '?sign_in=', '?sign_in=toString', '?sign_in=<b>', '?q=refused'])('%s is no problem', (search) => {
  expect(describeProblem(search)).toBeUndefined()
})
