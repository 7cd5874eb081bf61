import { formatTime } from '#kernel'
import type { ContentSituation, CopyRecord, Placement } from '#plugins/replication'
import type { ListEntry } from '#plugins/storage'
import { judgeCopies, judgeCopy } from './copy-health-policy.ts'
import type { Copy, ObjectItem, ObjectProvenance, ObjectStatusDetail } from './object-api.ts'
import { attentionOf, describeBytes, objectStatus, uploadProgress } from './object-status-policy.ts'

export function describeObject(entry: ListEntry, contentType: string, situation: ContentSituation): ObjectItem {
  const at = formatTime(entry.lastModifiedMs)
  return {
    id: entry.id,
    key: entry.key,
    current_version_id: entry.versionId,
    size: entry.size,
    ...describeBytes(situation),
    content_type: contentType,
    etag: entry.etag,
    created_at: at,
    // A version never changes.
    updated_at: at,
  }
}

export function describeStatus(versionId: string, placement: Placement): ObjectStatusDetail {
  return { ...describeState(versionId, placement), ...(placement.message === null ? {} : { message: placement.message }) }
}

export function describeProvenance(versionId: string, placement: Placement): ObjectProvenance {
  const { pieceCid, pack, requestedCopies, copies } = placement
  const copyHealth = judgeCopies(placement)
  return {
    ...describeState(versionId, placement),
    ...(pieceCid === null ? {} : { piece_cid: pieceCid }),
    ...(pack && { pack }),
    requested_copies: requestedCopies,
    success_copies: copyHealth.readable_copies,
    copy_health: copyHealth,
    copies: copies.map(describeCopy),
  }
}

function describeState(versionId: string, placement: Placement) {
  const { state, isCached, copies, upload, updatedAtMs } = placement
  const isOnChain = copies.some(({ status }) => status === 'committed')
  const { isReadable = isCached || isOnChain } = placement
  return {
    version_id: versionId,
    state,
    status: objectStatus({ state, isCached, isOnChain, isReadable }),
    ...attentionOf(placement),
    ...(upload === null ? {} : { progress: uploadProgress(upload) }),
    updated_at: formatTime(updatedAtMs),
  }
}

function describeCopy(copy: CopyRecord): Copy {
  const { providerId, dataSetId, pieceId, retrievalUrl, attention } = copy
  return {
    copy_index: copy.copyIndex,
    status: copy.status,
    health: judgeCopy(copy),
    ...(providerId === null ? {} : { provider_id: providerId, provider_identity: { registry_provider_id: providerId } }),
    ...(dataSetId === null ? {} : { data_set_id: dataSetId }),
    ...(pieceId === null ? {} : { piece_id: pieceId }),
    transfer_method: copy.transferMethod,
    ...(retrievalUrl === null ? {} : { retrieval_url: retrievalUrl }),
    is_new_data_set: copy.isNewDataSet,
    ...(attention && { attention_code: attention.code, attention_at: formatTime(attention.atMs) }),
  }
}
