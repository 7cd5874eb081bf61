import type { Clock } from '#kernel'
import type { UploadRecord } from '../contract.ts'

/** Bytes on their way to providers, by content. In memory: after a restart an upload begins again. */
export interface UploadMeter {
  begin(contentId: number, upload: Pick<UploadRecord, 'attempt' | 'totalBytes'>): void
  set(contentId: number, sentBytes: number): void
  /** The provider took all bytes, or the upload failed. */
  end(contentId: number, how: { readonly isDone: boolean }): void
  of(contentId: number): UploadRecord | undefined
}

export interface UploadProgress extends UploadRecord {
  readonly isDone: boolean
}

const announceMs = 1000

/** `announce` hears of each upload at its beginning, at most once a second after that, and when it is done. */
export function createUploadMeter(
  clock: Pick<Clock, 'now'>,
  announce: (contentId: number, progress: UploadProgress) => void = () => {},
): UploadMeter {
  const running = new Map<number, UploadRecord & { readonly announcedAtMs: number }>()

  function tell(
    contentId: number,
    { announcedAtMs: _, ...upload }: UploadRecord & { readonly announcedAtMs: number },
    isDone = false,
  ): void {
    announce(contentId, { ...upload, isDone })
  }

  return {
    begin(contentId, { attempt, totalBytes }) {
      const nowMs = clock.now()
      const upload = { attempt, sentBytes: 0, totalBytes, updatedAtMs: nowMs, announcedAtMs: nowMs }
      running.set(contentId, upload)
      tell(contentId, upload)
    },
    set(contentId, sentBytes) {
      const before = running.get(contentId)
      if (!before) return
      const nowMs = clock.now()
      const isDue = nowMs >= before.announcedAtMs + announceMs
      const upload = { ...before, sentBytes, updatedAtMs: nowMs, announcedAtMs: isDue ? nowMs : before.announcedAtMs }
      running.set(contentId, upload)
      if (isDue) tell(contentId, upload)
    },
    end(contentId, { isDone }) {
      const upload = running.get(contentId)
      running.delete(contentId)
      if (upload && isDone) tell(contentId, { ...upload, sentBytes: upload.totalBytes, updatedAtMs: clock.now() }, isDone)
    },
    of: (contentId) => running.get(contentId),
  }
}
