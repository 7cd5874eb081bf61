/** Who owns the objects of a bucket, and whether they have access control lists. */
import { S3Error } from './s3-error.ts'

const ownerships = ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'] as const

export type ObjectOwnership = (typeof ownerships)[number]

/** Undefined for an unknown name. */
export const readOwnership = (name: string): ObjectOwnership | undefined => ownerships.find((one) => one === name)

/** The owner of a bucket owns its objects. Throws NotImplemented for the other ownerships, which need access control lists. */
export function requireBucketOwner(ownership: ObjectOwnership): void {
  if (ownership === 'BucketOwnerEnforced') return
  throw new S3Error('NotImplemented', {
    message: `The object ownership ${ownership} is not implemented: the owner of the bucket owns its objects. Use BucketOwnerEnforced.`,
    extras: { Header: 'x-amz-object-ownership' },
  })
}
