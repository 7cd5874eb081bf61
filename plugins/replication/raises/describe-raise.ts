import { formatTime, type Reader } from '#kernel'
import { countUnsettled } from './below-target-store.ts'
import type { RaiseAnswer } from './raise-api.ts'
import type { Raise } from './raise-store.ts'

const lackingMax = 10_000

export async function describeRaise(read: Reader, bucket: string, raise: Raise): Promise<RaiseAnswer> {
  const { id, bucketId, untilContent, raisedTo, status, finishedAtMs } = raise
  const isRaised = status !== 'raising' || untilContent === 0
  return {
    id,
    bucket_id: bucketId,
    bucket,
    client_request_id: raise.clientRequestId,
    target_copies: raise.targetCopies,
    status,
    contents: raise.contents,
    copies: raise.copies,
    bytes: raise.bytes,
    percent_raised: isRaised ? 100 : Math.floor((raisedTo * 100) / untilContent),
    lacking_copies: status === 'completed' ? 0 : await countUnsettled(read, bucketId, { until: untilContent, max: lackingMax }),
    created_at: formatTime(raise.createdAtMs),
    updated_at: formatTime(raise.updatedAtMs),
    ...(finishedAtMs === null ? {} : { finished_at: formatTime(finishedAtMs) }),
  }
}
