/** Who owns the objects of a bucket, and whether they have access control lists. */
export const objectOwnerships = ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'] as const

export type ObjectOwnership = (typeof objectOwnerships)[number]

export const readOwnership = (name: string): ObjectOwnership | undefined => objectOwnerships.find((one) => one === name)
