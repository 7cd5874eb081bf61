/** Status and progress of an object on the wire. */
import { formatTime } from '#kernel'
import type { ObjectState, UploadRecord } from '#plugins/replication'
import type { ObjectStatus, UploadProgress } from './object-api.ts'

export interface ObjectSituation {
  readonly state: ObjectState
  readonly isCached: boolean
  readonly isOnChain: boolean
}

export function objectStatus({ state, isCached, isOnChain }: ObjectSituation): ObjectStatus {
  if (state === 'failed') return 'warning'
  if (!isCached && !isOnChain) return 'unavailable'
  if (state === 'stored') return 'success'
  return state === 'cached' || state === 'uploading' ? 'uploading' : 'syncing'
}

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
