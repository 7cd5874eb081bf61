import type { Operation } from '../operation.ts'

/** Succeeds when the bucket exists and the caller may read it. */
export const headBucket: Operation = {
  scope: 'bucket',
  run: (_, { settings }) => ({
    status: 200,
    headers: { 'x-amz-bucket-region': settings.region, 'x-amz-access-point-alias': 'false' },
  }),
}
