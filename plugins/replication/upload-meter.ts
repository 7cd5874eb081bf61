import type { Clock, Tx } from '#kernel'
import type { UploadRecord } from './contract.ts'

/** Progress of running uploads, by content. In memory: after a restart an upload starts again. */
export interface UploadMeter {
  begin(contentId: number, upload: Pick<UploadRecord, 'attempt' | 'totalBytes'>): void
  set(contentId: number, sentBytes: number): void
  /** `isDone`: the provider took all bytes; false: the upload failed. */
  end(contentId: number, how: { readonly isDone: boolean }): void
  of(contentId: number): UploadRecord | undefined
  /** A copy moves on without an upload of the gateway: a provider pulls it. */
  moved(): void
  /** When bytes of any upload were last sent, or a copy moved on; undefined before the first. */
  lastMovedMs(): number | undefined
}

export interface UploadProgress extends UploadRecord {
  readonly isDone: boolean
}

const publishMs = 1000

/** `publish` is called at the start of an upload, at most once a second after that, and when it is done. */
export function createUploadMeter(
  clock: Pick<Clock, 'now'>,
  publish: (contentId: number, progress: UploadProgress) => void = () => {},
): UploadMeter {
  const running = new Map<number, UploadRecord & { readonly publishedAtMs: number }>()
  let movedMs: number | undefined

  function publishUpload(
    contentId: number,
    { publishedAtMs: _, ...upload }: UploadRecord & { readonly publishedAtMs: number },
    isDone = false,
  ): void {
    publish(contentId, { ...upload, isDone })
  }

  return {
    begin(contentId, { attempt, totalBytes }) {
      const nowMs = clock.now()
      const upload = { attempt, sentBytes: 0, totalBytes, updatedAtMs: nowMs, publishedAtMs: nowMs }
      running.set(contentId, upload)
      publishUpload(contentId, upload)
    },
    set(contentId, sentBytes) {
      const before = running.get(contentId)
      if (!before) return
      const nowMs = clock.now()
      movedMs = nowMs
      const isDue = nowMs >= before.publishedAtMs + publishMs
      const upload = { ...before, sentBytes, updatedAtMs: nowMs, publishedAtMs: isDue ? nowMs : before.publishedAtMs }
      running.set(contentId, upload)
      if (isDue) publishUpload(contentId, upload)
    },
    end(contentId, { isDone }) {
      const upload = running.get(contentId)
      running.delete(contentId)
      if (upload && isDone) publishUpload(contentId, { ...upload, sentBytes: upload.totalBytes, updatedAtMs: clock.now() }, isDone)
    },
    of: (contentId) => running.get(contentId),
    moved() {
      movedMs = clock.now()
    },
    lastMovedMs: () => movedMs,
  }
}

export interface UploadEvents extends AsyncDisposable {
  /** Call when the transaction may change the states of the contents. Publishes the latest states, at most once a second. */
  changed(tx: Tx, contentIds: readonly number[]): void
  progressed(contentId: number, progress: UploadProgress): void
}
