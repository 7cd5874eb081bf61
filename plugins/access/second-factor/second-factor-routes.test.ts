import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel'
import { basicAuth, type TestKernel, testKernel, testOperator } from '#kernel/testing'
import { accessPlugin } from '../plugin.ts'
import { codeOf } from '../testing/authenticator.ts'

const plugins = [accessPlugin]
const path = '/api/v1/auth/second-factor'

async function setUp() {
  let aheadMs = 0
  const clock = {
    ...systemClock,
    now: () => systemClock.now() + aheadMs,
    advance(ms: number) {
      aheadMs += ms
    },
  }
  const svc = await testKernel({ plugins, clock })
  const signIn = async (more: object = {}) => {
    const answer = await fetch(`${svc.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...testOperator, ...more }),
    })
    const { code, csrf_token } = (await answer.json()) as { readonly code?: string; readonly csrf_token?: string }
    return {
      status: answer.status,
      code,
      headers: { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '', 'x-svc-csrf': csrf_token ?? '' },
    }
  }
  return { clock, svc, signIn, [Symbol.asyncDispose]: () => svc.stop() }
}

const post = async (svc: TestKernel, to: string, body: object, headers: Record<string, string> = {}) => {
  const answer = await svc.fetch(to, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
}

async function enrol({ svc, clock }: Pick<Awaited<ReturnType<typeof setUp>>, 'svc' | 'clock'>) {
  const { body: begun } = await post(svc, path, {})
  const code = () => codeOf(begun.secret, clock.now())
  const { status, body } = await post(svc, `${path}/confirm`, { code: code() })
  expect(status).toBe(200)
  clock.advance(30_000)
  return { begun, code, recovery: body.recovery_codes as readonly string[], script: body.script_password as string }
}

test('the operator turns it on, signs in with password and code, and turns it off', async () => {
  await using scene = await setUp()
  const { svc, signIn, clock } = scene
  const { begun, code, script } = await enrol(scene)
  expect(begun.uri).toBe(
    `otpauth://totp/${encodeURIComponent(`svc ${new URL(svc.url).host}`)}?secret=${begun.secret}&issuer=svc&algorithm=SHA1&digits=6&period=30`,
  )
  expect(existsSync(join(svc.dir, 'admin-second-factor.json'))).toBe(true)
  expect(await fetch(`${svc.url}/api/v1/auth/methods`).then((answer) => answer.json())).toMatchObject({ second_factor: true })
  expect(await signIn()).toMatchObject({ status: 401, code: 'second_factor_required' })
  expect(await signIn({ password: 'wrong' })).toMatchObject({ status: 401, code: 'second_factor_required' })
  const right = code()
  expect(await signIn({ password: 'wrong', code: right })).toMatchObject({ status: 401, code: 'authentication_required' })
  const { status, headers } = await signIn({ code: right })
  expect(status).toBe(200)
  expect(await signIn({ code: right })).toMatchObject({ status: 401, code: 'authentication_required' })
  clock.advance(30_000)
  expect((await post(svc, `${path}/remove`, { code: '000000' }, headers)).body.code).toBe('second_factor_code_wrong')
  expect((await post(svc, `${path}/remove`, { code: code() }, headers)).status).toBe(204)
  expect((await signIn()).status).toBe(200)
  expect((await svc.fetch(path, { headers: { authorization: basicAuth('admin', script) } })).status).toBe(401)
})

test('while it is on HTTP Basic takes the password of scripts, and not the password that it took before', async () => {
  await using scene = await setUp()
  const { script } = await enrol(scene)
  const basic = (password: string) => scene.svc.fetch(path, { headers: { authorization: basicAuth('admin', password) } })
  expect((await basic(testOperator.password)).status).toBe(401)
  expect(await basic(script).then((answer) => answer.json())).toEqual({ enabled: true, recovery_codes_left: 10 })
})

test('a recovery code signs in once', async () => {
  await using scene = await setUp()
  const { recovery } = await enrol(scene)
  expect((await scene.signIn({ code: recovery[0] })).status).toBe(200)
  expect((await scene.signIn({ code: recovery[0] })).status).toBe(401)
})

test('wrong codes block the address as wrong passwords do, then the right one is refused too', async () => {
  await using scene = await setUp()
  const { code } = await enrol(scene)
  for (let attempt = 0; attempt < 5; attempt += 1) expect((await scene.signIn({ code: '000000' })).status).toBe(401)
  expect(await scene.signIn({ code: code() })).toMatchObject({ status: 429, code: 'login_rate_limited' })
})

test('a session needs the password to turn it on, and guesses are limited', async () => {
  await using scene = await setUp()
  const { headers } = await scene.signIn()
  expect((await post(scene.svc, path, {}, headers)).body.code).toBe('password_wrong')
  expect((await post(scene.svc, path, { password: testOperator.password }, headers)).status).toBe(200)
  for (let attempt = 0; attempt < 5; attempt += 1) await post(scene.svc, path, { password: 'wrong' }, headers)
  expect((await post(scene.svc, path, { password: testOperator.password }, headers)).body.code).toBe('login_rate_limited')
})

test('wrong first codes are limited, then it must be begun again', async () => {
  await using scene = await setUp()
  const { body: begun } = await post(scene.svc, path, {})
  const confirm = async (code: string) => (await post(scene.svc, `${path}/confirm`, { code })).body.code
  for (let attempt = 1; attempt < 5; attempt += 1) expect(await confirm('000000')).toBe('second_factor_code_wrong')
  expect(await confirm('000000')).toBe('second_factor_not_begun')
  expect(await confirm(codeOf(begun.secret, scene.clock.now()))).toBe('second_factor_not_begun')
})

test('a second secret cannot replace one that is on', async () => {
  await using scene = await setUp()
  const { headers } = await scene.signIn()
  await enrol(scene)
  expect((await post(scene.svc, path, { password: testOperator.password }, headers)).body.code).toBe('second_factor_on')
})
