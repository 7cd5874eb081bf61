import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fromBase32 } from './base32.ts'
import { factorPath } from './factor-file.ts'
import { factorLimits, SecondFactor } from './second-factor.ts'
import { totpCode, totpStep } from './totp.ts'

const clock = { ms: 0, now: () => clock.ms }
let dir: string
let path: string
beforeEach(() => {
  clock.ms = Date.UTC(2026, 0, 31, 12)
  dir = mkdtempSync(join(tmpdir(), 'svc-factor-'))
  path = factorPath(join(dir, 'config.toml'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function enrol(factor = new SecondFactor(path, clock)) {
  const secret = fromBase32(factor.begin())
  const code = (steps = 0) => totpCode(secret, totpStep(clock.ms) + steps)
  const issued = factor.confirm(code())
  if (!issued) throw new Error('the first code was refused')
  return { factor, secret, code, issued }
}

const use = { mayUse: true }

test('it is on after the first code, in a private file that has no code and no password', () => {
  const off = new SecondFactor(path, clock)
  expect([off.isOn, existsSync(path), off.check('000000', use), off.isScriptPassword('')]).toEqual([false, false, false, false])
  const { factor, issued } = enrol(off)
  expect([factor.isOn, factor.recoveryCodesLeft, statSync(path).mode & 0o777]).toEqual([true, factorLimits.recoveryCodes, 0o600])
  const text = readFileSync(path, 'utf8')
  for (const secret of [...issued.recoveryCodes, issued.scriptPassword]) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain(secret.replaceAll('-', ''))
  }
})

test('a wrong first code and a late one leave it off', () => {
  const factor = new SecondFactor(path, clock)
  const secret = fromBase32(factor.begin())
  expect(factor.confirm('000000')).toBeUndefined()
  clock.ms += factorLimits.enrolMs
  expect(factor.confirm(totpCode(secret, totpStep(clock.ms)))).toBeUndefined()
  expect([factor.isOn, existsSync(path)]).toEqual([false, false])
})

test('after several wrong first codes the secret counts no longer, and a new one does', () => {
  const factor = new SecondFactor(path, clock)
  const begin = () => {
    const secret = fromBase32(factor.begin())
    return () => factor.confirm(totpCode(secret, totpStep(clock.ms)))
  }
  const first = begin()
  for (let tries = 0; tries < factorLimits.enrolTries; tries += 1) {
    expect(factor.isEnrolling).toBe(true)
    expect(factor.confirm('000000')).toBeUndefined()
  }
  expect([factor.isEnrolling, first(), factor.isOn]).toEqual([false, undefined, false])
  const second = begin()
  for (let tries = 1; tries < factorLimits.enrolTries; tries += 1) factor.confirm('000000')
  expect(second()).toBeDefined()
  expect([factor.isEnrolling, factor.isOn]).toEqual([false, true])
})

test('a code is used once, also across a restart; the one that turned it on is used too', () => {
  const { factor, code } = enrol()
  expect(factor.check(code(), use)).toBe(false)
  clock.ms += 30_000
  expect(factor.check(code(), use)).toBe(true)
  expect(factor.check(code(), use)).toBe(false)
  const restarted = new SecondFactor(path, clock)
  expect([restarted.check(code(), use), restarted.check(code(-1), use), restarted.check(code(1), use)]).toEqual([false, false, true])
})

test('a right code that came with a wrong password stays good', () => {
  const { factor, code } = enrol()
  clock.ms += 30_000
  expect(factor.check(code(), { mayUse: false })).toBe(true)
  expect(factor.check(code(), use)).toBe(true)
})

test('each recovery code works once, in every way of typing it', () => {
  const { factor, issued } = enrol()
  const [first = '', second = ''] = issued.recoveryCodes
  expect(first).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
  expect(factor.check(first.toLowerCase().replaceAll('-', ' '), use)).toBe(true)
  expect(factor.check(first, use)).toBe(false)
  const restarted = new SecondFactor(path, clock)
  expect([restarted.check(first, use), restarted.check(second, use), restarted.recoveryCodesLeft]).toEqual([false, true, 8])
})

test('only the password of scripts is one', () => {
  const { factor, issued } = enrol()
  expect([factor.isScriptPassword(issued.scriptPassword), factor.isScriptPassword('correct horse'), factor.isScriptPassword('')]).toEqual([
    true,
    false,
    false,
  ])
})

test('it cannot be turned on over itself', () => {
  const { factor } = enrol()
  const secret = fromBase32(factor.begin())
  expect(factor.confirm(totpCode(secret, totpStep(clock.ms)))).toBeUndefined()
})

test('after a removal nothing of it is left', () => {
  const { factor, code } = enrol()
  factor.remove()
  clock.ms += 30_000
  expect([factor.isOn, existsSync(path), factor.check(code(), use), new SecondFactor(path, clock).isOn]).toEqual([
    false,
    false,
    false,
    false,
  ])
})

test.each(['', '{}', '{"secret":"JBSWY3DPEHPK3PXP"', '{"secret":"no","recovery":[],"script":"a","lastStep":0}'])(
  'I-10: a damaged file %j stops the start, and its text is not quoted',
  (text) => {
    writeFileSync(path, text)
    expect(() => new SecondFactor(path, clock)).toThrow(
      `${path} is damaged: restore it, or turn the second factor off with svc admin-auth remove-second-factor`,
    )
  },
)

test('a code that cannot be marked as used is refused', () => {
  const { factor, code } = enrol()
  clock.ms += 30_000
  rmSync(dir, { recursive: true })
  writeFileSync(dir, 'a file in place of the folder')
  expect(() => factor.check(code(), use)).toThrow('cannot be written')
  expect(() => factor.check(code(), use)).toThrow('cannot be written')
})
