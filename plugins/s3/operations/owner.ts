import { element } from '../wire/xml.ts'

/** Buckets of the internal account have no S3 user. */
const rootId = 'root'

export function ownerId(accessKey: string | null): string {
  return accessKey ?? rootId
}

/** The access key is both ID and display name: it stays when the secret key changes. */
export function ownerElement(accessKey: string | null): string {
  const id = ownerId(accessKey)
  return `<Owner>${element('ID', id)}${element('DisplayName', id)}</Owner>`
}
