import { expect, test } from 'vitest'
import { createLog, type LogFormat, type LogLevel } from './log.ts'

function setUp(format: LogFormat, { level = 'info' as LogLevel, secrets = [] as string[] } = {}) {
  const lines: string[] = []
  return { lines, log: createLog({ level, format, secrets, write: (line) => lines.push(line) }) }
}

const secret = '0xfeedfacecafebeef'

test.each(['json', 'text'] as const)('no %s line contains a secret value, in any place (I-10)', (format) => {
  const { lines, log } = setUp(format, { secrets: [secret] })
  log.info(`key ${secret}`, { note: secret, deep: { er: [secret] } })
  log.error('failed', { error: new Error(`bad key ${secret}`, { cause: new Error(secret) }) })
  log.child('wallet').warn('twice', { a: `${secret}${secret}` })
  expect(lines).toHaveLength(3)
  expect(lines.join()).not.toContain('feedface')
  expect(lines.join()).toContain('(hidden)')
})

test.each(['password', 'authorization', 'cookie', 'private_key', 'secret_key', 'session_secret', 'token', 'password_hash'])(
  'a field called %s is hidden up to two levels down',
  (name) => {
    const { lines, log } = setUp('json')
    log.info('x', { [name]: 'valuable', one: { [name]: 'valuable', two: { [name]: 'valuable' } } })
    expect(lines.join()).not.toContain('valuable')
  },
)

test("hiding a field changes neither the caller's object nor its other fields", () => {
  const { lines, log } = setUp('json')
  const fields = { name: 'a', user: { token: 'valuable', role: 'admin' }, list: [1, { token: 'valuable' }] }
  log.info('x', fields)
  const shown = { name: 'a', user: { token: '(hidden)', role: 'admin' }, list: [1, { token: '(hidden)' }] }
  expect(JSON.parse(lines[0] ?? '')).toMatchObject(shown)
  expect(fields.user.token).toBe('valuable')
})

test('lines below the level are left out', () => {
  const { lines, log } = setUp('json', { level: 'warn' })
  log.debug('a')
  log.info('b')
  log.warn('c')
  log.error('d')
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['c', 'd'])
})

test('a child logger with its own level ignores the level of the log', () => {
  const { lines, log } = setUp('json', { level: 'error' })
  log.child('audit', 'info').info('a')
  log.child('s3').info('b')
  log.child('audit', 'info').debug('c')
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['a'])
})

test('a text line has time, level, logger, message and fields', () => {
  const { lines, log } = setUp('text')
  log.child('wallet').info('funded', { amount: '5', why: 'two words', count: 3 })
  expect(lines[0]).toMatch(/^\S+Z INFO {2}wallet: funded amount=5 why="two words" count=3\n$/)
})

test('a text line escapes control characters', () => {
  const { lines, log } = setUp('text')
  log.info('x', { key: 'a\u001b[2Jb', other: 'a\u009b2Jb', subject: { key: 'a\u009b2Jb' } })
  expect(lines[0]).toContain(String.raw`key="a\u001b[2Jb" other="a\u009b2Jb" subject={"key":"a\u009b2Jb"}`)
})

test('an error shows every cause, and the stack of the original one', () => {
  const { lines, log } = setUp('json')
  const root = new Error('disk full')
  log.error('failed', { error: Object.assign(new Error('store failed', { cause: root }), { code: 'cache_full' }) })
  const { error } = JSON.parse(lines[0] ?? '')
  expect(error).toMatchObject({ code: 'cache_full', message: 'store failed <- disk full' })
  expect(error.stack).toContain('Error: disk full')
})
