import type { VersionCopy } from '#plugins/storage'
import { copyObjectAccess } from './object-access-store.ts'

/** A restored version belongs to the owner of the old one, and is as private. */
export const restoredAccess: VersionCopy = { name: 's3.access', copied: copyObjectAccess }
