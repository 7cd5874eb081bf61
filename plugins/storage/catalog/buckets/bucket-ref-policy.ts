import type { Bucket, BucketRef } from '../../contract.ts'

export const nameOf = (wanted: BucketRef): string => (typeof wanted === 'string' ? wanted : wanted.name)

/** Whether the bucket that has the name is the one that is wanted. */
export const isSameBucket = (wanted: BucketRef, { id }: Pick<Bucket, 'id'>): boolean => typeof wanted === 'string' || wanted.id === id
