/** Uploads that are running, by the id of their content. Pure. */

export interface UploadProgress {
  readonly attempt: number
  readonly uploaded_bytes: number
  readonly total_bytes: number
}

export type Uploads = Readonly<Record<string, UploadProgress>>

/** The store tasks that run at the same time are fewer. */
export const uploadsMax = 64

/** Takes an event of topic `upload_progress_updated`. An earlier attempt or fewer bytes change nothing; an upload that is done leaves. */
export function takeProgress(uploads: Uploads, event: Readonly<Record<string, unknown>>): Uploads {
  const { upload_id: id, progress } = event as {
    readonly upload_id: number
    readonly progress: UploadProgress & { readonly done: boolean }
  }
  const key = String(id)
  const known = uploads[key]
  if (known && isBehind(progress, known)) return uploads
  const { [key]: _replaced, ...others } = uploads
  if (progress.done) return others
  const { attempt, uploaded_bytes, total_bytes } = progress
  const kept = Object.entries(others).slice(-(uploadsMax - 1))
  return { ...Object.fromEntries(kept), [key]: { attempt, uploaded_bytes, total_bytes } }
}

const isBehind = (next: UploadProgress, known: UploadProgress): boolean =>
  next.attempt < known.attempt || (next.attempt === known.attempt && next.uploaded_bytes < known.uploaded_bytes)

/** The upload that a task performs. */
export const uploadOf = (
  uploads: Uploads,
  { type, status, subject }: { type: string; status: string; subject: { type: string; key: string } },
) => (type === 'storage_store' && status === 'running' && subject.type === 'storage_content' ? uploads[subject.key] : undefined)
