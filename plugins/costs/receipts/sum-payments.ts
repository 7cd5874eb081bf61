import type { Reader } from '#kernel'
import { allRails } from '../book/book-store.ts'
import { allPayments, firstMonth } from './receipt-store.ts'

/** What the chain took for a bucket since its payments are followed. */
export async function sumBucketPayments(read: Reader, wallet: string, bucketId: number) {
  const ofBucket = new Set((await allRails(read, wallet)).filter((rail) => rail.bucketId === bucketId).map(({ railId }) => railId))
  const sums = { one_time: 0n, storage: 0n }
  for (const { railId, kind, amount } of await allPayments(read, wallet)) {
    if (kind !== 'unknown' && ofBucket.has(railId)) sums[kind] += amount
  }
  const since = await firstMonth(read, wallet)
  return { one_time: String(sums.one_time), storage: String(sums.storage), ...(since === undefined ? {} : { since }) }
}

/** Settled storage of all rails. */
export async function sumSettled(read: Reader, wallet: string): Promise<bigint> {
  let sum = 0n
  for (const { kind, amount } of await allPayments(read, wallet)) if (kind === 'storage') sum += amount
  return sum
}
