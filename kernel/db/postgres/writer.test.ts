import { expect, test } from 'vitest'
import { isNotWritten } from '../database-error.ts'
import type { NativeClient, NativeQuery } from './native.ts'
import { PostgresStatements } from './postgres-reader.ts'
import type { WriterSession } from './session.ts'
import { createPostgresWriter } from './writer.ts'

/** A writer over scripted connections: `answer` returns the command tag of a text, or throws. `serverOf` names the start of the server, `status` is that of every transaction. */
function createWriter(
  answer: (text: string, connection: number) => string,
  { status = 'committed', serverOf = (_connection: number): string => 'start' } = {},
) {
  const ended: string[] = []
  const sent: string[] = []
  let connection = 0
  let current: NativeClient | undefined
  const connect = (number: number): NativeClient => ({
    processID: 1,
    async query({ text }: NativeQuery) {
      sent.push(`${number}: ${text}`)
      return { command: answer(text, number), rows: rowsOf(text, status), rowCount: 0 }
    },
    release() {},
    once() {},
  })
  const session = {
    async client() {
      current ??= connect(++connection)
      return current
    },
    drop(client: NativeClient) {
      if (current === client) current = undefined
    },
    close() {},
    prove() {},
    end(error: Error) {
      ended.push(error.message)
      return error
    },
    get server() {
      return serverOf(connection)
    },
  } as unknown as WriterSession
  const health = { explain: (error: unknown) => error, wrote() {} }
  return { sent, ended, writer: createPostgresWriter({ session, statements: new PostgresStatements(), name: 'postgres://test', health }) }
}

function rowsOf(text: string, status: string): object[] {
  if (text.includes('pg_current_xact_id')) return [{ id: '7' }]
  return text.includes('pg_xact_status') ? [{ status }] : []
}

const tagOf = (text: string) => text.split(/\W/)[0]?.toUpperCase() ?? ''
const lost = () => {
  throw new Error('Connection terminated unexpectedly')
}

test('a commit that the server answers with a rollback fails all jobs and runs none of their effects', async () => {
  const { writer } = createWriter((text) => (text === 'commit' ? 'ROLLBACK' : tagOf(text)))
  const job = () => writer.write((tx) => tx.afterCommit(() => expect.unreachable('nothing was committed')))
  for (const result of await Promise.allSettled([job(), job()])) {
    expect(result).toMatchObject({ reason: { message: expect.stringContaining('rolled back a transaction instead of committing it') } })
  }
})

test('a connection that was lost while idle is replaced before the first statement of the jobs, once', async () => {
  const { writer, sent } = createWriter((text, connection) => (connection === 1 && text.startsWith('begin') ? lost() : tagOf(text)))
  expect(await Promise.all([writer.write(() => 1), writer.write(() => 2)])).toEqual([1, 2])
  expect(sent.filter((text) => text.includes('begin'))).toEqual([expect.stringMatching(/^1: begin /), expect.stringMatching(/^2: begin /)])
  const dead = createWriter(lost)
  await expect(dead.writer.write(() => 1)).rejects.toMatchObject({ code: 'database_unreachable' })
  expect(dead.sent).toHaveLength(2)
})

test('a connection that is lost during the commit is reported when nothing tells the outcome, because the jobs may be durable', async () => {
  const { writer, sent } = createWriter((text) => (text === 'commit' || text.includes('pg_xact_status') ? lost() : tagOf(text)))
  const error = await writer.write(() => 1).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'database_unreachable' })
  expect(isNotWritten(error)).toBe(false)
  expect(sent.filter((text) => text.includes('begin'))).toHaveLength(1)
})

/** A lost commit, about whose number the server says `status`, on its second connection as `server`. */
async function loseCommit(status: 'committed' | 'aborted' | 'in progress', server = 'start') {
  const { writer, ended } = createWriter((text, connection) => (text === 'commit' && connection === 1 ? lost() : tagOf(text)), {
    status,
    serverOf: (connection) => (connection === 1 ? 'start' : server),
  })
  const effects: string[] = []
  const write = (text: string) => writer.write((tx) => tx.afterCommit(() => effects.push(text)))
  const [first] = await Promise.allSettled([write('a')])
  await write('b')
  return { first, effects, ended }
}

test('a lost commit is made when the server calls it committed', async () => {
  const { first, effects, ended } = await loseCommit('committed')
  expect(first).toMatchObject({ status: 'fulfilled' })
  expect([effects, ended]).toEqual([['a', 'b'], []])
})

test.each(['start', 'another start'])('a lost commit is not made when the server, after %s, calls it aborted', async (server) => {
  const { first, effects, ended } = await loseCommit('aborted', server)
  expect(isNotWritten((first as PromiseRejectedResult).reason)).toBe(true)
  expect([effects, ended]).toEqual([['b'], []])
})

test.each([
  ['committed after another start, which may have given its number to another transaction', 'committed', 'another start'],
  ['in progress', 'in progress', 'start'],
] as const)('I-39: the process ends when the server calls a lost commit with effects %s', async (_name, status, server) => {
  const { first, effects, ended } = await loseCommit(status, server)
  expect(isNotWritten((first as PromiseRejectedResult).reason)).toBe(false)
  expect(effects).not.toContain('a')
  expect(ended).toEqual([expect.stringMatching(/cannot tell whether it was made.*restart this svc$/)])
})
