import type { CopiesDefaults } from '../catalog/buckets/bucket-copies-policy.ts'
import type { CopyDefaults } from '../contract.ts'
import type { Attached } from './attached.ts'

/** Defaults without a plugin that makes copies. */
const oneCopy: CopiesDefaults = { defaultCopies: 1 }

/** The contribution with the greatest target. */
export const readCopyDefaults = (attached: () => readonly Attached<CopyDefaults>[]) => (): CopiesDefaults =>
  attached()
    .map(({ item, services }) => item.read(services))
    .reduce((most, one) => (one.defaultCopies > most.defaultCopies ? one : most), oneCopy)
