import type { BlobRef, ExpectedBlob } from '../catalog/cache-entry-store.ts'
import { blobPath } from './blob-folders.ts'
import { type BlobReaderDeps, isIntactBlob, type OpenBlob, openBlob, openHotBlob } from './blob-reader.ts'
import type { HotBytes } from './hot-bytes.ts'

export interface BlobReads {
  /** Whether the file exists with the recorded length. Does not check its bytes. */
  hasFile(blob: BlobRef): Promise<boolean>
  /** Reads the whole file and returns whether its bytes match the content (I-30). */
  isIntact(blob: ExpectedBlob): Promise<boolean>
  open(blob: ExpectedBlob): Promise<OpenBlob>
  pathOf(blob: BlobRef): string
}

export function createBlobReads({ dir, hot, ...deps }: BlobReaderDeps & { readonly dir: string; readonly hot: HotBytes }): BlobReads {
  const pathOf = ({ blobId, epoch }: BlobRef) => blobPath(dir, blobId, epoch)
  return {
    async hasFile(blob) {
      const opened = await openBlob(deps, pathOf(blob), { ...blob, sha256: null })
      if (opened.is !== 'open') return false
      await opened.blob[Symbol.asyncDispose]()
      return true
    },
    isIntact: (blob) => isIntactBlob(deps, pathOf(blob), blob),
    open: (blob) => openHotBlob({ ...deps, hot }, pathOf(blob), blob),
    pathOf,
  }
}
