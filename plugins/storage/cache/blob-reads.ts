import { blobPath } from './blob-folders.ts'
import { type BlobDoors, isIntactBlob, type OpenBlob, openBlob, openHotBlob, type WantedBlob } from './blob-reader.ts'
import type { BlobRef } from './cache-store.ts'
import type { HotBytes } from './hot-bytes.ts'

/** The cached files as they are read. */
export interface BlobReads {
  /** Is the file there with the recorded length? Its bytes may be wrong. */
  hasFile(blob: BlobRef): Promise<boolean>
  /** Reads the whole file: does it have the bytes of its content (I-30)? */
  isIntact(blob: WantedBlob): Promise<boolean>
  open(blob: WantedBlob): Promise<OpenBlob>
  pathOf(blob: BlobRef): string
}

export function createBlobReads({ dir, hot, ...doors }: BlobDoors & { readonly dir: string; readonly hot: HotBytes }): BlobReads {
  const pathOf = ({ blobId, epoch }: BlobRef) => blobPath(dir, blobId, epoch)
  return {
    async hasFile(blob) {
      const opened = await openBlob(doors, pathOf(blob), { ...blob, sha256: null })
      if (opened.is !== 'open') return false
      await opened.blob[Symbol.asyncDispose]()
      return true
    },
    isIntact: (blob) => isIntactBlob(doors, pathOf(blob), blob),
    open: (blob) => openHotBlob({ ...doors, hot }, pathOf(blob), blob),
    pathOf,
  }
}
