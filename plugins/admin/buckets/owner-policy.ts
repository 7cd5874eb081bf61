/** The owner of a bucket on the wire. The service's own account has no visible access key. */

export const internalRoot = '__internal_root__'

export const shownOwner = (ownerAccessKey: string | null): string => ownerAccessKey ?? internalRoot

export const isInternalRoot = (owner: string): boolean => owner === internalRoot
