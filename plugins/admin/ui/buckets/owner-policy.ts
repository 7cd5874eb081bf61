/** The service's own account: nobody can use the bucket through the S3 API until it has an owner. */
export const internalRoot = '__internal_root__'

export const isUnassigned = (owner: string | null): boolean => owner === null || owner === internalRoot

export const ownerName = (owner: string | null): string => (isUnassigned(owner) ? 'Unassigned' : (owner ?? ''))
