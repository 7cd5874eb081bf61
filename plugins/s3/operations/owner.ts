// How the owner of a bucket or object is shown: the access key is both ID and name, and outlives a change of secret.
import { element } from '../http/xml.ts'

/** Buckets of the internal account have no S3 user. */
const rootId = 'root'

export function ownerId(accessKey: string | null): string {
  return accessKey ?? rootId
}

export function ownerElement(accessKey: string | null): string {
  const id = ownerId(accessKey)
  return `<Owner>${element('ID', id)}${element('DisplayName', id)}</Owner>`
}
