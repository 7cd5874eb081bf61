/** Copies that stay. */
import { defineService, type Reader } from '#kernel'

interface FinalCopies {
  /** Replica slots with a committed copy of the content that counts and that no reorganisation reverts. */
  count(read: Reader, contentId: number): Promise<number>
}

export const finalCopies = defineService<FinalCopies>('replication.final-copies')
