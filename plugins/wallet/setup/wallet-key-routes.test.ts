import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '#kernel/host'
import { adminAuth, configState } from '#kernel/system'
import { promised, type TestKernelOptions, testKernel, testOperator } from '#kernel/testing'
import { walletPlugin } from '../plugin.ts'
import { saveWalletKey } from './wallet-key-api.ts'

const path = '/api/v1/setup/wallet-key'
/** The first account of local chains, and its address as they publish it. */
const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const other = '51'.repeat(32)

async function start(options: Partial<TestKernelOptions> = {}) {
  const lines: string[] = []
  const log = createLog({ level: 'debug', format: 'json', secrets: [], write: (line) => void lines.push(line) })
  const svc = await testKernel({ plugins: [walletPlugin], log, ...options })
  onTestFinished(() => svc.stop())
  const file = join(svc.dir, 'config.toml')
  return { svc, file, lines, save: (private_key: unknown) => svc.call('PUT', path, { private_key }) }
}

const storedKey = (file: string): string | undefined => /private_key = "(.*)"/.exec(readFileSync(file, 'utf8'))?.[1]

test('in setup mode a key is stored in the configuration file with mode 0600, and only its address is answered', async () => {
  const { svc, file, save } = await start()
  const answer = await save(`  ${key.slice(2).toUpperCase()}\n`)
  expect(promised(saveWalletKey, answer)).toEqual({ address })
  expect([storedKey(file)?.toLowerCase(), statSync(file).mode & 0o777]).toEqual([key, 0o600])
  expect(svc.kernel.get(configState).reload().problems).toEqual([])
})

test('a key that was pasted wrongly is corrected before the restart, and its address follows', async () => {
  const { file, save } = await start()
  const first = promised(saveWalletKey, await save(key))
  const second = promised(saveWalletKey, await save(other))
  expect([storedKey(file), first.address === second.address]).toEqual([`0x${other}`, false])
})

test.each(['', '0x', 'not a key', `${key}0`, key.slice(0, -1), '0'.repeat(64), 'f'.repeat(64), `${key}\u0000`, 'abandon '.repeat(12)])(
  'I-10: %j is refused in words that do not contain it, and nothing is stored',
  async (wrong) => {
    const { file, save, lines } = await start()
    const before = readFileSync(file, 'utf8')
    const { status, body } = await save(wrong)
    expect([status, body.code, readFileSync(file, 'utf8')]).toEqual([400, 'wallet_key_invalid', before])
    if (wrong.length > 3) expect(`${JSON.stringify(body)}${lines.join('')}`).not.toContain(wrong.trim())
  },
)

test('I-10: neither the log, the audit trail nor any answer contains the key', async () => {
  const { svc, save, lines } = await start()
  const trail: unknown[] = []
  svc.kernel.get(adminAuth).trail.keep((line) => void trail.push(line))
  const answers = [await save(key), await save(12), await svc.call('PUT', path, { private_key: key, more: key })]
  const text = `${JSON.stringify([answers.map(({ body }) => body), trail])}${lines.join('')}`
  expect([answers.map(({ status }) => status), text.includes(key.slice(2))]).toEqual([[200, 400, 400], false])
  expect(JSON.stringify(trail)).toContain(path)
})

test('a key with which the process started is not replaced, in setup mode or full mode', async () => {
  const inSetup = await start({ config: { 'chain.private_key': other, 'chain.default_copies': 99 } })
  expect(await inSetup.save(key)).toMatchObject({ status: 409, body: { code: 'wallet_key_set' } })
  const inFull = await start({ config: { 'chain.private_key': other, 'chain.rpc_url': 'http://127.0.0.1:9/' } })
  expect(await inFull.save(key)).toMatchObject({ status: 409, body: { code: 'setup_complete' } })
  expect([storedKey(inSetup.file), storedKey(inFull.file)]).toEqual([other, other])
  // It may be the only copy of a key with a typing error.
  const mistyped = await start({ config: { 'chain.private_key': other.slice(1) } })
  expect(await mistyped.save(key)).toMatchObject({ status: 409, body: { code: 'wallet_key_set' } })
  expect(storedKey(mistyped.file)).toBe(other.slice(1))
})

test.each<[string, number, Record<string, string>]>([
  ['a page of another origin', 403, { origin: 'https://evil.example' }],
  ['a form of another site', 400, { 'content-type': 'text/plain' }],
  ['a client behind a proxy without HTTPS', 403, { 'x-forwarded-for': '198.51.100.7' }],
  ['a name that was rebound to this machine', 403, { 'x-forwarded-host': 'rebound.example' }],
  ['a client without credentials', 401, { cookie: 'none=1' }],
])('%s cannot store a key', async (_who, status, headers) => {
  const { svc, file } = await start()
  const answer = await svc.fetch(path, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ private_key: key }),
  })
  expect([answer.status, storedKey(file)]).toEqual([status, undefined])
})

test('a session needs its CSRF token and the role admin', async () => {
  const { svc, file } = await start()
  const send = (cookie: string, token: string) =>
    svc.fetch(path, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', cookie, 'x-svc-csrf': token },
      body: JSON.stringify({ private_key: key }),
    })
  const login = await fetch(`${svc.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(testOperator),
  })
  const cookie = login.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  expect((await send(cookie, 'guessed')).status).toBe(403)
  const { sessions } = svc.kernel.get(adminAuth)
  sessions.accept('team')
  const { token, claims } = sessions.beginExternal({ username: 'oidc:op', role: 'operator', realm: 'team', maxMs: 3_600_000 })
  const refused = await send(`svc_admin_session=${token}`, claims.csrf_token)
  expect([refused.status, ((await refused.json()) as { readonly code: string }).code]).toEqual([403, 'role_required'])
  expect(storedKey(file)).toBe(undefined)
})
