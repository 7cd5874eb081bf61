/** Rows of cached bytes, to compare them with the files and the bytes in the database. */
import { type Reader, sqlStatement } from '#kernel'
import { databaseEpoch } from '../catalog/cached/cache-bytes-store.ts'

/** A file, or bytes in the database, that must exist, because the entry of its content is present or it is a part of an upload. */
export interface RecordedFile {
  readonly blobId: string
  readonly epoch: number
  readonly length: number
  /** Null for a file, and for missing bytes. */
  readonly lengthInDatabase: number | null
  /** Null for a part of an upload. */
  readonly contentId: number | null
  /** SHA-256 of this file; null where none was recorded. */
  readonly sha256: string | null
  readonly readableCopies: number
  readonly bucket: string
  /** One of the keys with these bytes, or that of the upload; null when all are deleted. */
  readonly key: string | null
}

const mustExist = `(e.state = 'present' or u.state = 'open')`

const recorded = `select f.blob_id as "blobId", f.epoch, f.length, length(d.bytes) as "lengthInDatabase", f.content_id as "contentId",
    coalesce(f.sha256, case when f.length = c.size then c.sha256 end) as sha256, coalesce(c.readable_copies, 0) as "readableCopies",
    b.name as bucket, coalesce(u.key, (select min(v.key) from object_versions v where v.content_id = c.id)) as key
  from cache_blobs f left join cache_entries e on e.content_id = f.content_id left join contents c on c.id = f.content_id
  left join cache_bytes d on d.content_id = f.content_id and f.epoch = ${databaseEpoch}
  left join uploads u on u.upload_id = f.upload_id join buckets b on b.id = coalesce(c.bucket_id, u.bucket_id)
  where ${mustExist}`

const page = sqlStatement<{ after: string; limit: number }, RecordedFile>(
  `${recorded} and f.blob_id > :after order by f.blob_id limit :limit`,
)
const sample = sqlStatement<{ limit: number }, RecordedFile>(`${recorded} order by random() limit :limit`)
const one = sqlStatement<{ blobId: string }, RecordedFile>(`${recorded} and f.blob_id = :blobId`)
const filesByEpoch = sqlStatement<Record<never, never>, EpochFiles>(
  `select f.epoch, count(*) as files from cache_blobs f left join cache_entries e on e.content_id = f.content_id
  left join uploads u on u.upload_id = f.upload_id where f.epoch <> ${databaseEpoch} and ${mustExist} group by f.epoch order by f.epoch`,
)
const epochs = sqlStatement<Record<never, never>, { epoch: number }>('select epoch from cache_epochs order by epoch')

interface EpochFiles {
  readonly epoch: number
  readonly files: number
}

/** Starts of the process with recorded files, oldest first. */
export const recordedEpochs = (read: Reader): Promise<readonly EpochFiles[]> => read.all(filesByEpoch)
export const recordedFilesAfter = (read: Reader, after: string, limit: number): Promise<readonly RecordedFile[]> =>
  read.all(page, { after, limit })
export const someRecordedFiles = (read: Reader, limit: number): Promise<readonly RecordedFile[]> => read.all(sample, { limit })
/** Returns nothing when the file was removed or replaced since. */
export const findRecordedFile = (read: Reader, blobId: string): Promise<RecordedFile | undefined> => read.get(one, { blobId })
/** Starts of the process, oldest first. */
export const knownEpochs = async (read: Reader): Promise<readonly number[]> => (await read.all(epochs)).map(({ epoch }) => epoch)
