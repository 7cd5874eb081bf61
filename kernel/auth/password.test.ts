import { expect, test } from 'vitest'
import { explainBadHash, hashPassword, verifyPassword } from './password.ts'

const cheap = { ln: 4, r: 8, p: 1 }

test('a hash matches only its password and contains its parameters', async () => {
  const hash = await hashPassword('open sesame', cheap)
  expect(hash).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$[\w-]{22}\$[\w-]{43}$/)
  expect(await verifyPassword('open sesame', hash)).toBe(true)
  expect(await verifyPassword('open sesame ', hash)).toBe(false)
  expect(await verifyPassword('', hash)).toBe(false)
})

test('two hashes of one password differ, and equivalent Unicode spellings match', async () => {
  expect(await hashPassword('same', cheap)).not.toBe(await hashPassword('same', cheap))
  expect(await verifyPassword('caf\u00e9', await hashPassword('cafe\u0301', cheap))).toBe(true)
})

test('by default a verification needs 32 MiB', async () => {
  const hash = await hashPassword('x')
  expect(hash).toContain('ln=15,r=8,p=3')
  expect(await verifyPassword('x', hash)).toBe(true)
})

test.each(['', 'plain', '$2a$10$abcdefghijklmnopqrstuv', '$scrypt$ln=30,r=8,p=1$c2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'])(
  'the stored hash %j is refused with the reason and the next step',
  async (hash) => {
    expect(explainBadHash(hash)).toMatch(/reset-password|memory/)
    await expect(verifyPassword('x', hash)).rejects.toThrow('the password hash')
  },
)

test('concurrent verifications all get the right result', async () => {
  const hash = await hashPassword('right', cheap)
  const results = await Promise.all(Array.from({ length: 50 }, (_, i) => verifyPassword(i % 2 ? 'right' : 'wrong', hash)))
  expect(results).toEqual(Array.from({ length: 50 }, (_, i) => i % 2 === 1))
})

test('verifications beyond the queue limit are refused with Retry-After', async () => {
  const hash = await hashPassword('right', cheap)
  const results = await Promise.allSettled(Array.from({ length: 400 }, () => verifyPassword('right', hash)))
  const refused = results.filter((result) => result.status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]?.reason).toMatchObject({ code: 'password_checks_busy', retryAfterSeconds: 1 })
  expect(await verifyPassword('right', hash)).toBe(true)
})
