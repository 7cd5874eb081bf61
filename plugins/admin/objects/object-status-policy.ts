/** Status and progress of an object on the wire. */
import { formatTime } from '#kernel'
import type { ContentSituation, CopyProgress, ObjectState, UploadRecord } from '#plugins/replication'
import type { ObjectItem, ObjectStatus, UploadProgress } from './object-api.ts'

interface ObjectSituation {
  readonly state: ObjectState
  readonly isCached: boolean
  readonly isOnChain: boolean
  /** Default: when it is cached or on chain. */
  readonly isReadable?: boolean
}

/** An object without bytes is complete with its metadata. */
export const withoutBytes: ContentSituation = { state: 'stored', isCached: true, isOnChain: false, pieceCid: null, upload: null }

/** Situation of a delete marker, or of a version deleted since it was listed. */
export const nowhere: ContentSituation = { state: 'cached', isCached: false, isOnChain: false, pieceCid: null, upload: null }

export function objectStatus({ state, isCached, isOnChain, isReadable = isCached || isOnChain }: ObjectSituation): ObjectStatus {
  if (state === 'failed') return 'warning'
  if (!isReadable) return 'unavailable'
  if (state === 'stored') return 'success'
  return state === 'cached' || state === 'uploading' ? 'uploading' : 'syncing'
}

type DescribedBytes = 'state' | 'status' | 'attention_code' | 'progress' | 'copies' | 'location' | 'piece_cid'

/** The reason why an object needs an operator although its state promises progress. */
export const attentionOf = ({ isStuck, isDenied }: Pick<ContentSituation, 'isStuck' | 'isDenied'>): Pick<ObjectItem, 'attention_code'> =>
  isStuck ? { attention_code: 'stuck' } : isDenied ? { attention_code: 'copies_denied' } : {}

/** The members of an object and of a version that tell where its bytes are. */
export function describeBytes(situation: ContentSituation): Pick<ObjectItem, DescribedBytes> {
  const { state, isCached, isOnChain, pieceCid, upload, copies } = situation
  return {
    state,
    status: objectStatus(situation),
    ...attentionOf(situation),
    ...(upload === null ? {} : { progress: uploadProgress(upload) }),
    ...(copies && { copies: describeCopies(copies) }),
    location: { cache: isCached, chain: isOnChain },
    ...(pieceCid === null ? {} : { piece_cid: pieceCid }),
  }
}

const describeCopies = ({
  work,
  target,
  stored,
  waitReason,
  waitMessage,
  waitUntilMs,
  slots,
}: CopyProgress): NonNullable<ObjectItem['copies']> => ({
  work,
  target,
  stored,
  ...(waitReason === null ? {} : { wait_reason: waitReason }),
  ...(waitMessage === null ? {} : { wait_message: waitMessage }),
  ...(waitUntilMs === null ? {} : { wait_until: formatTime(waitUntilMs) }),
  slots: slots.map(({ copyIndex, status, providerId }) => ({
    copy_index: copyIndex,
    status,
    ...(providerId === null ? {} : { provider_id: providerId }),
  })),
})

/** Whole percents, rounded down: 100 means every byte is sent. */
export function uploadProgress({ attempt, sentBytes, totalBytes, updatedAtMs }: UploadRecord): UploadProgress {
  const percent = totalBytes === 0 ? 100 : Math.floor((sentBytes * 100) / totalBytes)
  return {
    scope: 'ingress_store',
    attempt,
    uploaded_bytes: sentBytes,
    total_bytes: totalBytes,
    percent,
    done: sentBytes >= totalBytes,
    updated_at: formatTime(updatedAtMs),
  }
}
