import type { BucketDeletion } from '#plugins/storage'
import { deleteRaises } from './raise-store.ts'

export const raisesDeletion: BucketDeletion = { name: 'copy-raises', deleted: deleteRaises }
