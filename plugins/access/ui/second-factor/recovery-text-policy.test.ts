import { expect, test } from 'vitest'
import { recoveryText } from './recovery-text-policy.ts'

test('the file names the gateway and has every code and the password of scripts on a line of its own', () => {
  const lines = recoveryText({ recovery_codes: ['AAAA-BBBB', 'CCCC-DDDD'], script_password: 's3cret' }, 'svc.example.com').split('\n')
  expect(lines[0]).toContain('svc.example.com')
  expect(lines).toEqual(expect.arrayContaining(['AAAA-BBBB', 'CCCC-DDDD', 's3cret']))
})
