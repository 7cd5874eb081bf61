import type { ObjectState } from '../../contract.ts'

/** Where the copies of a content are. */
interface StoredContent {
  readonly storeState: string
  /** Number of copies that are committed. */
  readonly committed: number
  /** Number of copies that are in a batch and not confirmed on chain. */
  readonly onChain: number
  /** Number of copies whose provider has the bytes, and that are in no batch yet. */
  readonly parked: number
}

export interface LocatedContent extends StoredContent {
  readonly contentId: number
  /** The content whose copies these are: the pack of a member, otherwise itself. */
  readonly copiedId: number
  /** It waits for a pack. */
  readonly isWaiting: boolean
  readonly isCached: boolean
}

/** No provider has the bytes, and the content was not given up: its state depends on its store task. */
export const awaitsUpload = ({ storeState, committed, onChain, parked }: StoredContent): boolean =>
  (storeState === 'unstored' || storeState === 'storing') && committed + onChain + parked === 0

/** `isBeingStored`: whether an open task uploads the content to its first provider; read only where `awaitsUpload`. */
export function objectState(content: StoredContent, isBeingStored: boolean): ObjectState {
  if (content.storeState === 'stored') return 'stored'
  if (content.storeState === 'failed' || content.storeState === 'lost') return 'failed'
  if (content.committed > 0) return 'replicating'
  if (content.onChain > 0) return 'committing'
  // The task has used all attempts: the bytes stay cached until an operator retries it.
  if (content.parked === 0 && !isBeingStored) return 'failed'
  return content.storeState === 'storing' ? 'uploading' : 'cached'
}
