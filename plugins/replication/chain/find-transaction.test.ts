import { expect, test } from 'vitest'
import { isTransactionKnown } from './find-transaction.ts'
import { unknownTransaction } from './testing/unknown-transaction.ts'

const hash = `0x${'ab'.repeat(32)}` as const
const answering = (getTransaction: () => Promise<unknown>) => ({ publicClient: { getTransaction } }) as never

test('a transaction is known, unknown, or cannot be asked for', async () => {
  expect(
    await isTransactionKnown(
      answering(async () => ({ hash })),
      hash,
    ),
  ).toBe(true)
  expect(
    await isTransactionKnown(
      answering(async () => Promise.reject(unknownTransaction(hash))),
      hash,
    ),
  ).toBe(false)
  expect(
    await isTransactionKnown(
      answering(async () => Promise.reject(new Error('no connection'))),
      hash,
    ),
  ).toBeUndefined()
})
