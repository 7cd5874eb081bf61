/** Progress of the upload of a shown version. Pure. */
import type { Provenance } from './describe-life.ts'

interface ProgressEvent {
  readonly version_id?: unknown
  readonly progress?: Provenance['progress']
}

/** Events may arrive late: an earlier attempt, or fewer bytes of the same one, changes nothing. */
export function takeVersionProgress(shown: Provenance, event: Readonly<Record<string, unknown>>): Provenance {
  const { version_id, progress } = event as ProgressEvent
  const known = shown.progress
  if (version_id !== shown.version_id || progress === undefined) return shown
  const isOlder =
    known !== undefined &&
    (progress.attempt < known.attempt || (progress.attempt === known.attempt && progress.uploaded_bytes < known.uploaded_bytes))
  return isOlder ? shown : { ...shown, progress }
}
