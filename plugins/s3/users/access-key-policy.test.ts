import { expect, test } from 'vitest'
import { toAccessKey } from './access-key-policy.ts'

test.each([
  ['Q3bXk0r9T2mZ5vYw8LsNaA', 'Q3bXk0r9T2mZ5vYw8LsNaA'],
  ['Q3-Xk0r9T2mZ5vYw8LsNa-', 'Q3-Xk0r9T2mZ5vYw8LsNa-'],
  ['-3bXk0r9T2mZ5vYw8LsNaA', '03bXk0r9T2mZ5vYw8LsNaA'],
  ['--bXk0r9T2mZ5vYw8LsNaA', '0-bXk0r9T2mZ5vYw8LsNaA'],
])('the random text %s becomes the access key %s, without a leading dash', (token, accessKey) => {
  expect(toAccessKey(token)).toBe(accessKey)
})
