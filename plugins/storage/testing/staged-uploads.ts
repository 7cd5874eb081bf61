import type { CompleteUpload, NamedPart, ObjectVersion, Upload, UploadPart, Uploads } from '../contract.ts'
import { chunksOf, plainHeaders } from './object-storage.ts'

/** Uploads to the bucket `photos` in the tests' terms. */
export interface StagedUploads {
  create(key: string, more?: Partial<Parameters<Uploads['create']>[0]>): Promise<Upload>
  put(
    upload: Upload,
    partNumber: number,
    bytes: string | Uint8Array,
    more?: Partial<Parameters<Uploads['putPart']>[0]>,
  ): Promise<UploadPart>
  /** Parts may be as small as a byte. */
  complete(upload: Upload, parts: readonly NamedPart[], more?: Partial<CompleteUpload>): Promise<ObjectVersion>
  abort(upload: Upload): Promise<void>
  /** Stores the texts as parts 1, 2, … of a new upload and completes it. */
  object(key: string, texts: readonly (string | Uint8Array)[], bucket?: string): Promise<ObjectVersion>
}

export function stageUploads(uploads: Uploads): StagedUploads {
  const placeOf = ({ id: uploadId, key }: Upload) => ({ bucket: 'photos', key, uploadId })
  const staged: StagedUploads = {
    create: (key, more) =>
      uploads.create({
        bucket: 'photos',
        key,
        headers: plainHeaders,
        checksumAlgorithm: null,
        checksumType: null,
        initiator: null,
        ...more,
      }),
    put: (upload, partNumber, bytes, more) => {
      const body = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
      return uploads.putPart({ ...placeOf(upload), partNumber, body: chunksOf(body), size: body.length, ...more })
    },
    complete: (upload, parts, more) => uploads.complete({ ...placeOf(upload), parts, partBytesMin: 1, ...more }),
    abort: (upload) => uploads.abort(placeOf(upload)),
    async object(key, texts, bucket = 'photos') {
      const upload = await staged.create(key, { bucket })
      const parts: UploadPart[] = []
      for (const [at, text] of texts.entries()) parts.push(await staged.put(upload, at + 1, text, { bucket }))
      return staged.complete(upload, parts, { bucket })
    },
  }
  return staged
}
