import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { version } from '#kernel/system'
import { signFeed } from '../../tools/sign-feed.ts'
import { svcHome } from '../testing/run-svc.ts'

const publisher = generateKeyPairSync('ed25519')
const publicKey = (key: KeyObject) => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')
const key = publicKey(publisher.publicKey)
const dayMs = 86_400_000
const at = (days: number) => new Date(Date.now() + days * dayMs).toISOString()
const releases = [
  { version: '0.0.1', published_at: at(-90) },
  { version: '99.1.0', published_at: at(-2), url: 'https://releases.example/99.1.0', security: true },
  { version: '99.0.0', published_at: at(-30) },
]

function home() {
  const made = svcHome()
  onTestFinished(() => made[Symbol.dispose]())
  const feed = (changes: object = {}, by: KeyObject = publisher.privateKey) => {
    const payload = { format: 1, issued_at: at(-1), expires_at: at(30), releases, ...changes }
    return signFeed(Buffer.from(JSON.stringify(payload)), by)
  }
  const check = (text: string, ...flags: readonly string[]) => {
    writeFileSync(join(made.dir, 'feed.json'), text)
    return made.run(['version', '--check', 'feed.json', '--key', key, ...flags])
  }
  return { dir: made.dir, run: made.run, feed, check }
}

test('a signed feed names the newer releases, newest first, with exit code 3; without newer ones 0', async () => {
  const { feed, check } = home()
  const { code, stdout } = await check(feed(), '--json')
  expect(code).toBe(3)
  expect(JSON.parse(stdout)).toMatchObject({ version: version.version, check: { latest: '99.1.0', newer: [releases[1], releases[2]] } })
  expect((await check(feed())).stdout).toContain(
    `99.1.0 of ${releases[1]?.published_at}, closes security holes https://releases.example/99.1.0\n`,
  )
  expect(await check(feed({ releases: [{ version: version.version, published_at: at(-9) }] }))).toMatchObject({ code: 0, stderr: '' })
})

const otherKey = generateKeyPairSync('ed25519').privateKey

test.each([
  ['without a signature', () => JSON.stringify({ payload: 'e30=' }), 'it has no signature'],
  ['that is not JSON', () => '<html>', 'it is not JSON'],
  ['of another key', (feed: Feed) => feed({}, otherKey), 'it is not signed with this key'],
  ['with a changed payload', (feed: Feed) => changed(feed()), 'it is not signed with this key'],
  ['that expired', (feed: Feed) => feed({ issued_at: at(-60), expires_at: at(-1) }), 'it expired at '],
  ['of the future', (feed: Feed) => feed({ issued_at: at(3) }), 'which is in the future'],
  ['of a later format', (feed: Feed) => feed({ format: 2 }), 'its format 2 is not known'],
  ['with a wrong version', (feed: Feed) => feed({ releases: [{ version: '1.0;rm', published_at: at(0) }] }), 'missing or wrong'],
  ['with more releases than the limit', (feed: Feed) => feed({ releases: Array(1001).fill(releases[0]) }), 'missing or wrong'],
])('a feed %s is refused', async (_case, make, why) => {
  const { feed, check } = home()
  const { code, stdout, stderr } = await check(make(feed))
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(`fatal: the release feed is refused: `)
  expect(stderr).toContain(why)
})

type Feed = ReturnType<typeof home>['feed']

function changed(text: string): string {
  const { payload, signature } = JSON.parse(text)
  const bytes = Buffer.from(payload, 'base64').toString().replace('99.1.0', '99.9.9')
  return JSON.stringify({ payload: Buffer.from(bytes).toString('base64'), signature })
}

test('a feed that is older than one that was seen is refused', async () => {
  const { dir, feed, check } = home()
  mkdirSync(join(dir, '.svc'))
  expect((await check(feed({ issued_at: at(-1) }))).code).toBe(3)
  expect(existsSync(join(dir, '.svc', 'release-feed-seen'))).toBe(true)
  expect((await check(feed({ issued_at: at(-5) }))).stderr).toContain('older than the one of ')
  expect((await check(feed({ issued_at: at(-0.5) }))).code).toBe(3)
})

test('a key in PEM or in a file is accepted; another text and a missing key are usage errors', async () => {
  const { dir, feed, check, run } = home()
  writeFileSync(join(dir, 'key.pem'), publisher.publicKey.export({ type: 'spki', format: 'pem' }))
  expect((await check(feed())).code).toBe(3)
  expect((await run(['version', '--check', 'feed.json', '--key', 'key.pem'])).code).toBe(3)
  expect(await run(['version', '--check', 'feed.json', '--key', 'abc'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('must be an ed25519 public key'),
  })
  expect(await run(['version', '--check', 'feed.json'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--check needs --key') })
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.json`
}

test('a feed is read from a URL; endless, missing and absent ones end with an error', async () => {
  const { feed, run } = home()
  const check = (url: string) => run(['version', '--check', url, '--key', key])
  expect((await check(await serve((_, answer) => void answer.end(feed())))).code).toBe(3)
  const endless = await serve((_, answer) => {
    const write = (): void => void (answer.write('x'.repeat(65_536)) ? setImmediate(write) : answer.once('drain', write))
    write()
  })
  expect((await check(endless)).stderr).toBe('fatal: the release feed has more than 256 KiB\n')
  const missing = await serve((_, answer) => void answer.writeHead(404).end())
  expect((await check(missing)).stderr).toBe(`fatal: ${missing} answered 404\n`)
  expect((await check('http://127.0.0.1:9/')).stderr).toMatch(/^fatal: http:\/\/127\.0\.0\.1:9\/ cannot be read: /)
  expect((await check('absent.json')).stderr).toMatch(/^fatal: absent\.json cannot be read: ENOENT/)
})
