import type { AdminClient } from '#cli'
import { CommandError } from '#kernel'
import { listObjectVersions, type ObjectVersion } from '../../objects/version-api.ts'

export interface NamedObject {
  readonly bucket: string
  readonly key: string
}

/** The newest version or delete marker. Throws CommandError for a key that has none. */
export async function readCurrent(client: AdminClient, { bucket, key }: NamedObject): Promise<ObjectVersion> {
  const page = await client.call(listObjectVersions, { params: { name: bucket }, query: { key, limit: '1' } })
  const [current] = page.versions
  if (!current) throw noSuchKey({ bucket, key })
  return current
}

export const noSuchKey = ({ bucket, key }: NamedObject): CommandError =>
  new CommandError(`the bucket ${bucket} has no object ${key}; svc admin object list ${bucket} shows its keys`)
