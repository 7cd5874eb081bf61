import { expect, test } from 'vitest'
import { type CommandWords, runCommand } from '#cli/testing'
import { adminAuth } from '#kernel/system'
import { type TestKernel, testKernel } from '#kernel/testing'
import { accessPlugin } from '../plugin.ts'
import { codeOf } from '../testing/authenticator.ts'
import { accessCommands } from './commands.ts'

const run = (svc: TestKernel, name: string, words: CommandWords = {}) =>
  runCommand(
    accessCommands.find((command) => command.name === `admin ${name}`),
    svc,
    words,
  )
const asJson = { flags: { json: true } }

test('sessions are listed and ended', async () => {
  await using svc = await testKernel({ plugins: [accessPlugin] })
  expect((await run(svc, 'session list')).stdout).toBe('No session sent a request since the service started.\n')
  const { sessions } = svc.kernel.get(adminAuth)
  sessions.note(sessions.begin(false).claims, '192.0.2.1')
  const [listed] = JSON.parse((await run(svc, 'session list', asJson)).stdout).sessions
  expect((await run(svc, 'session list')).stdout).toContain('192.0.2.1')
  expect((await run(svc, 'session end', { parameters: { id: listed.id } })).stdout).toBe(`Session ${listed.id} ended\n`)
  expect(sessions.list()).toEqual([])
  await expect(run(svc, 'session end', { parameters: { id: listed.id } })).rejects.toThrow('No session has this id')
})

test('the audit log names who did what, from where', async () => {
  await using svc = await testKernel({ plugins: [accessPlugin] })
  await expect(run(svc, 'session end', { parameters: { id: 'nothing' } })).rejects.toThrow('No session has this id')
  const { stdout } = await run(svc, 'audit', { flags: { what: 'change' } })
  expect(stdout).toMatch(/admin +DELETE \/api\/v1\/auth\/sessions\/:id +refused \(404\) +127\.0\.0\.1 +id=nothing/)
  expect((await run(svc, 'audit', { flags: { who: 'nobody' } })).stdout).toBe('No lines found.\n')
})

test('the second factor is turned on, and the password of before is no longer taken', async () => {
  await using svc = await testKernel({ plugins: [accessPlugin] })
  expect((await run(svc, 'totp status')).stdout).toBe('Second factor: off\n')
  const { secret } = JSON.parse((await run(svc, 'totp begin', asJson)).stdout)
  await expect(run(svc, 'totp confirm', { parameters: { code: '000000' } })).rejects.toThrow('The code is wrong')
  const code = codeOf(secret, Date.now())
  const { stdout } = await run(svc, 'totp confirm', { parameters: { code }, ...asJson })
  expect(JSON.parse(stdout)).toEqual({ recovery_codes: expect.any(Array), script_password: expect.any(String) })
  await expect(run(svc, 'totp status')).rejects.toThrow('The username or password is wrong')
})

test('the second factor is turned off with a code', async () => {
  await using svc = await testKernel({ plugins: [accessPlugin] })
  const { secondFactor } = svc.kernel.get(adminAuth).signIn
  const issued = secondFactor.confirm(codeOf(secondFactor.begin(), Date.now()))
  const { stdout } = await run({ ...svc, password: issued?.scriptPassword ?? '' }, 'totp remove', {
    parameters: { code: issued?.recoveryCodes[0] ?? '' },
  })
  expect(stdout).toContain('Second factor off')
  expect(secondFactor.isOn).toBe(false)
})
