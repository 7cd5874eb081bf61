/** One line with the failure and the next step, for every kind of server. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SvcHome, svcHome } from '../../cli/testing/run-svc.ts'

const html =
  (status: number): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html><body>Welcome to nginx!</body></html>')
  }
const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }

const others: Readonly<Record<string, RequestListener>> = {
  'a web site': html(200),
  'a proxy without svc behind it': html(502),
  'a proxy that redirects': (_request, response) => void response.writeHead(301, { location: 'https://svc.example.org/' }).end(),
  'another JSON service': json(200, { status: 'UP' }),
  'a service that does not answer': () => {},
  'a service that closes the connection': (request) => void request.socket.destroy(),
  'a service that stops mid-answer': (request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{', () => request.socket.destroy())
  },
  'svc that requires a wait': json(429, { error: 'Too many failed passwords.', code: 'login_rate_limited' }, { 'retry-after': '42' }),
  'svc with colours': json(400, { error: 'No\n\u001b[31mway\u0007', code: 'x' }),
}

let home: SvcHome
const servers = new Map<string, Server>()
beforeAll(async () => {
  home = svcHome()
  for (const [name, listen] of Object.entries(others)) {
    const server = createServer(listen)
    servers.set(name, server)
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  }
})
afterAll(() => {
  home?.[Symbol.dispose]()
  for (const server of servers.values()) server.close().closeAllConnections()
})

const portOf = (server: Server | undefined) => (server?.address() as AddressInfo | undefined)?.port
const urlOf = (name: string) => `http://127.0.0.1:${portOf(servers.get(name))}`
const ask = (url: string, ...words: string[]) => home.run(['admin', '--admin-url', url, ...words], { SVC_ADMIN_PASSWORD: 'x' })

const refusals: readonly (readonly [server: string, words: readonly string[], message: (url: string) => string])[] = [
  [
    'a web site',
    ['status'],
    (url) => `${url} answered 200, but not as svc does; is this the Admin API (--admin-url), and is svc serve running?`,
  ],
  ['a web site', ['task', 'list'], (url) => `${url} answered 200, but not as svc does`],
  ['a web site', ['s3-user', 'delete', 'x', '--yes'], (url) => `${url} answered 200, but not as svc does`],
  ['a proxy without svc behind it', ['status'], (url) => `${url} answered 502, but not as svc does`],
  ['a proxy without svc behind it', ['settings', 'get', '--json'], (url) => `${url} answered 502, but not as svc does`],
  [
    'a proxy that redirects',
    ['status'],
    (url) => `${url} redirects to https://svc.example.org/; give the address of the Admin API itself with --admin-url`,
  ],
  ['a proxy that redirects', ['s3-user', 'create'], (url) => `${url} redirects to https://svc.example.org/`],
  ['another JSON service', ['status'], (url) => `${url} answered 200, but not as svc does`],
  [
    'another JSON service',
    ['task', 'list', '--json'],
    (url) => `${url}/api/v1/tasks answers in a form that this svc does not know (tasks must be`,
  ],
  [
    'a service that does not answer',
    ['status', '--timeout', '1s'],
    (url) => `no answer from ${url}: it did not come within 1 s (--timeout)`,
  ],
  ['a service that closes the connection', ['task', 'stats'], (url) => `no answer from ${url}: `],
  ['a service that stops mid-answer', ['task', 'stats'], (url) => `the answer of ${url} broke off: `],
  ['svc that requires a wait', ['task', 'stats'], () => 'Too many failed passwords; try again in 42 s'],
  ['svc with colours', ['task', 'stats'], () => 'No; [31mway'],
]

test.each(refusals)('%s is recognised by svc admin %j and reported in one line', async (server, words, message) => {
  const url = urlOf(server)
  const { code, stdout, stderr } = await ask(url, ...words)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^fatal: [^\n]+\n$/)
  expect(stderr.slice('fatal: '.length)).toContain(message(url))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters of a terminal
  expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
})

test('the password is not sent to the target of a redirect', async () => {
  const seen: string[] = []
  const thief = createServer((request, response) => {
    seen.push(request.url ?? '')
    response.end('{}')
  })
  await new Promise<void>((ready) => thief.listen(0, '127.0.0.1', ready))
  const target = `http://localhost:${(thief.address() as AddressInfo).port}/`
  const redirecting = createServer((_request, response) => void response.writeHead(307, { location: target }).end())
  await new Promise<void>((ready) => redirecting.listen(0, '127.0.0.1', ready))
  const { stderr } = await ask(`http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`, 'task', 'stats')
  for (const server of [thief, redirecting]) server.close().closeAllConnections()
  expect(stderr).toContain('redirects to')
  expect(seen).toEqual([])
})

test('a service that is not running is named, with the next step', async () => {
  const server = createServer()
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  expect(await ask(`http://127.0.0.1:${port}`, 'status')).toEqual({
    code: 1,
    stdout: '',
    stderr: `fatal: no answer from http://127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}; is svc serve running there?\n`,
  })
})

const wrongLines: readonly (readonly [words: readonly string[], message: string])[] = [
  [['admin', 'stats'], 'unknown command "admin stats" (did you mean "admin status"?); see svc admin --help'],
  [['admin', 'task', 'lits'], 'unknown command "admin task lits" (did you mean "admin task list"?); see svc admin task --help'],
  [['admin', 'tsk'], 'unknown command "admin tsk" (did you mean "admin task"?); see svc admin --help'],
  [['wallet', 'depsit', '5'], 'unknown command "wallet depsit 5" (did you mean "wallet deposit"?); see svc wallet --help'],
  [['admin', 'status', '--timout', '5s'], 'unknown flag --timout (did you mean --timeout?); see svc admin status --help'],
  [['admin', 'status', 'now'], 'svc admin status does not take "now"; see svc admin status --help'],
  [['admin', 'task', 'retry', '1', '2'], 'svc admin task retry does not take "2"; see svc admin task retry --help'],
  [['admin', 'task', 'retry'], 'svc admin task retry needs <id>; see svc admin task retry --help'],
  [['admin', 'settings', 'set'], 'svc admin settings set needs <pairs>; see svc admin settings set --help'],
  [['admin', 's3-user', 'update', 'x'], 'svc admin s3-user update needs --role; see svc admin s3-user update --help'],
  [['admin', 's3-user', 'create', '--role', 'root'], '--role must be one of user, userplus, admin, got "root"'],
  [['admin', 'status', '--timeout', '5'], '--timeout must be a duration such as 5s, 2m or 1h30m, got "5"'],
  [['admin', 'status', '--admin-url', 'ftp://h'], '"ftp://h" is not the address of an Admin API; write it like http://127.0.0.1:9090'],
  [['admin', 'status', '--json=yes'], '--json is a switch and takes no value, got "yes"'],
  [['provider', 'list', '--network', 'testnet'], '--network must be one of calibration, mainnet, devnet, got "testnet"'],
  [['wallet', 'deposit'], 'svc wallet deposit needs <amount>; see svc wallet deposit --help'],
  [['wallet', 'deposit', '-5'], 'the amount must be a decimal number of USDFC such as 5 or 0.25, got "-5"'],
  [['wallet', 'deposit', '--', '-5'], 'the amount must be a decimal number of USDFC such as 5 or 0.25, got "-5"'],
  [['wallet', 'deposit', '--', '--json'], 'the amount must be a decimal number of USDFC such as 5 or 0.25, got "--json"'],
  [['wallet', 'deposit', '1e3'], 'the amount must be a decimal number of USDFC such as 5 or 0.25, got "1e3"'],
  [['wallet', 'fund-testnet', '0x12'], 'the address must be 0x and 40 hexadecimal digits, got "0x12"'],
]

test.each(wrongLines)('svc %j is a usage error', async (words, message) => {
  expect(await home.run(words)).toEqual({ code: 2, stdout: '', stderr: `fatal: ${message}\n` })
})
