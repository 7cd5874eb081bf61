import { formatTime } from '#kernel'
import type { Placements } from '#plugins/replication'
import type { ObjectVersion as StoredVersion } from '#plugins/storage'
import { describeBytes, nowhere } from './object-status-policy.ts'
import type { ObjectVersion } from './version-api.ts'

/** Versions with the places of their bytes, which may be newer than the versions. */
export async function describeVersions(
  versions: readonly StoredVersion[],
  placements: Pick<Placements, 'ofContents'>,
): Promise<ObjectVersion[]> {
  const situations = await placements.ofContents(versions.flatMap(({ contentId }) => contentId ?? []))
  return versions.map((version) => {
    const situation = (version.contentId === null ? undefined : situations.get(version.contentId)) ?? nowhere
    const at = formatTime(version.createdAtMs)
    return {
      version_id: version.versionId,
      key: version.key,
      size: version.size,
      ...describeBytes(situation),
      is_delete_marker: version.isDeleteMarker,
      is_current: version.isCurrent,
      content_type: version.headers.contentType,
      etag: version.etag,
      created_at: at,
      // A version never changes.
      updated_at: at,
    }
  })
}
