/** The service's own account: no S3 user owns the bucket, and only S3 admins have access. */
export const internalRoot = '__internal_root__'

export const isUnassigned = (owner: string | null): owner is null | typeof internalRoot => owner === null || owner === internalRoot

/** The name first, where the user has one. */
export function ownerName(owner: string | null, name?: string | null): string {
  if (isUnassigned(owner)) return 'Unassigned'
  return name ? `${name}, ${owner}` : owner
}
