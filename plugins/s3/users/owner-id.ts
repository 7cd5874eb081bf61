/** Buckets of the internal account have no S3 user. */
const rootId = 'root'

/** ID and display name of an owner in answers: its access key, which stays when the secret key changes. */
export function ownerId(accessKey: string | null): string {
  return accessKey ?? rootId
}
