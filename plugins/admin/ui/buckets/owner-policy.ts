/** The service's own account: no S3 user owns the bucket, and only S3 admins have access. */
export const internalRoot = '__internal_root__'

export const isUnassigned = (owner: string | null): boolean => owner === null || owner === internalRoot

export const ownerName = (owner: string | null): string => (isUnassigned(owner) ? 'Unassigned' : (owner ?? ''))
