import type { Operation } from './operation.ts'

/** Says that the bucket exists and is the caller's. */
export const headBucket: Operation = {
  scope: 'bucket',
  action: 'read-bucket',
  run: (_, { settings }) => ({
    status: 200,
    headers: { 'x-amz-bucket-region': settings.region, 'x-amz-access-point-alias': 'false' },
  }),
}
