import { findContent } from '../catalog/references/reference-store.ts'
import { locateContent } from '../catalog/versions/location-store.ts'
import { contentErrors, type ObjectVersion, type OpenedObject } from '../contract.ts'
import { type OpenDeps, openContent } from '../objects/open-content.ts'

/** Opens the bytes of a pack like those of an object: from its cached file, or from a provider. */
export async function openPack(deps: OpenDeps, packId: number): Promise<OpenedObject> {
  const found = await findContent(deps.database.read, packId)
  if (!found) throw contentErrors.content_unavailable({ message: `pack ${packId} was removed` })
  const version = versionOf(packId, found)
  const locate = async () => ({ ...(await locateContent(deps.database.read, packId)), version })
  return openContent(deps, await locate(), locate)
}

/** No version refers to a pack: this one stands for it where bytes are opened. */
const versionOf = (contentId: number, { bucketId, size }: { readonly bucketId: number; readonly size: number }) =>
  ({
    ...{ bucketId, contentId, size, key: `pack ${contentId}`, versionId: '', etag: '', createdAtMs: 0 },
    ...{ isDeleteMarker: false, isCurrent: false },
    headers: { contentType: 'application/octet-stream', system: {}, user: {}, checksums: {} },
  }) satisfies ObjectVersion
