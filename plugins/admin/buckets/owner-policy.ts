/** How the owner of a bucket is written. The service's own account has no access key that anybody may see. */

export const internalRoot = '__internal_root__'

export const shownOwner = (ownerAccessKey: string | null): string => ownerAccessKey ?? internalRoot

export const isInternalRoot = (owner: string): boolean => owner === internalRoot
