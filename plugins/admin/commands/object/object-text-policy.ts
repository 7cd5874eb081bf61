/** Objects and versions as text. */
import { formatFacts, formatShare, formatSize, formatTable } from '#cli'
import type { ObjectItem, ObjectPage, ObjectProvenance } from '../../objects/object-api.ts'
import type { DeletedObjects, ObjectHistory } from '../../objects/version-api.ts'

const none = '–'

export function pageText({ folders, objects, next_marker, keys_read }: ObjectPage): string {
  if (folders.length === 0 && objects.length === 0) {
    return keys_read === undefined ? 'No objects found.' : `None among ${keys_read} keys.${moreText(next_marker)}`
  }
  const rows = [
    ...folders.map(({ prefix }) => [prefix, none, 'folder', none, none, none]),
    ...objects.map((object) => [
      object.key,
      formatSize(object.size),
      object.status,
      placeText(object.location),
      object.created_at,
      object.current_version_id,
    ]),
  ]
  return formatTable(['key', 'size', 'status', 'place', 'created', 'version'], rows) + moreText(next_marker)
}

export function deletedText({ objects, next_marker }: DeletedObjects): string {
  if (objects.length === 0) return 'No deleted objects found.'
  const rows = objects.map((object) => [
    object.key,
    object.deleted_at,
    formatSize(object.restore_size),
    object.restore_version_id,
    object.delete_marker_version_id,
  ])
  return formatTable(['key', 'deleted', 'size', 'version', 'delete_marker'], rows) + moreText(next_marker)
}

export function historyText({ versions, next_version_marker }: ObjectHistory): string {
  const rows = versions.map((version) => [
    version.version_id,
    version.is_current ? 'yes' : 'no',
    version.is_delete_marker ? none : formatSize(version.size),
    version.is_delete_marker ? 'delete marker' : version.status,
    version.is_delete_marker ? none : placeText(version.location),
    version.created_at,
  ])
  return formatTable(['version', 'current', 'size', 'status', 'place', 'created'], rows) + moreText(next_version_marker)
}

export function statusText(key: string, status: ObjectProvenance & { readonly message?: string }): string {
  const { progress, copy_health: health } = status
  const facts = formatFacts([
    ['Object', key],
    ['Version', status.version_id],
    ['State', status.state],
    ['Status', status.status],
    ['Message', status.message],
    ['Upload', progress && `${formatShare(progress.uploaded_bytes, progress.total_bytes)} of ${formatSize(progress.total_bytes)}`],
    ['Piece CID', status.piece_cid],
    ['Pack', status.pack && `${status.pack.length} bytes at ${status.pack.offset} of pack ${status.pack.id}`],
    ['Copies', `${status.success_copies} of ${status.requested_copies} stored`],
    ['Copy health', health.reason_codes.length === 0 ? health.status : `${health.status} (${health.reason_codes.join(', ')})`],
    ['Updated', status.updated_at],
  ])
  return status.copies.length === 0 ? facts : `${facts}\n\n${copyTable(status.copies)}`
}

function copyTable(copies: ObjectProvenance['copies']): string {
  const rows = copies.map((copy) => [
    String(copy.copy_index),
    copy.status,
    copy.health.status,
    copy.provider_id ?? none,
    copy.data_set_id ?? none,
    copy.piece_id ?? none,
    copy.health.last_error ?? '',
  ])
  return formatTable(['slot', 'status', 'health', 'provider', 'data_set', 'piece', 'details'], rows)
}

function placeText({ cache, chain }: ObjectItem['location']): string {
  const places = [...(cache ? ['cache'] : []), ...(chain ? ['providers'] : [])]
  return places.length === 0 ? 'none' : places.join(', ')
}

function moreText(marker: string | undefined): string {
  if (marker === undefined) return ''
  // A key such as `-k` would be read as a flag after a space.
  return `\nMore: --after${marker.startsWith('-') ? '=' : ' '}${shellWord(marker)}`
}

/** Quotes a text so that it can be pasted into a shell: exactly this text, without characters that a terminal would execute or not show. */
function shellWord(text: string): string {
  if (/^[\w./:=@%+-]+$/.test(text)) return text
  const hidden = /\p{C}|\p{Zl}|\p{Zp}/u
  return hidden.test(text) ? `$'${[...text].map(escapeHidden).join('')}'` : `'${text.replaceAll("'", "'\\''")}'`

  function escapeHidden(character: string): string {
    if (character === "'" || character === '\\') return `\\${character}`
    if (!hidden.test(character)) return character
    const code = (character.codePointAt(0) ?? 0).toString(16)
    return code.length > 2 ? `\\U${code.padStart(8, '0')}` : `\\x${code.padStart(2, '0')}`
  }
}
