import { expect, test } from 'vitest'
import { isNotWritten } from '../database-error.ts'
import { createGroupCommit } from './group-commit.ts'
import type { StatementCache } from './statements.ts'

const ioError = () => Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' })

/** The error of a job, when the command fails. */
function failureOf(failing: string): Promise<unknown> {
  const command = (text: string) => () => {
    if (text === failing) throw ioError()
  }
  const { write } = createGroupCommit(
    { command } as unknown as StatementCache,
    (work) => work(),
    (error) => error,
  )
  return write(() => 'written').then(
    () => expect.unreachable('the write was refused'),
    (error: unknown) => error,
  )
}

test.each([
  ['BEGIN IMMEDIATE', true],
  ['SAVEPOINT job', true],
  ['RELEASE job', true],
  ['COMMIT', false],
])('after a failed %s the write is certainly not durable: %s', async (command, expected) => {
  const error = await failureOf(command)
  expect(error).toMatchObject({ code: 'SQLITE_IOERR_WRITE' })
  expect(isNotWritten(error)).toBe(expected)
})

test.each(['', 'COMMIT'])('the number of commits has changed when a job is answered, also after a failed %s', async (failing) => {
  const command = (text: string) => () => {
    if (text === failing) throw ioError()
  }
  const { write, count } = createGroupCommit(
    { command } as unknown as StatementCache,
    (work) => work(),
    (error) => error,
  )
  const before = count()
  let seen = before
  const see = () => {
    seen = count()
  }
  await write((tx) => tx.afterCommit(see)).then(see, see)
  expect(seen).toBeGreaterThan(before)
})
